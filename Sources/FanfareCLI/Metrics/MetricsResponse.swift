/// The answer to a request, whole.
package struct MetricsResponse: Equatable, Sendable {
    package let status: Int
    package let bytes: [UInt8]

    private static let textType = "text/plain; charset=utf-8"
    // https://prometheus.io/docs/instrumenting/exposition_formats/
    private static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

    /// Answers the part of a request that was read.
    /// - Parameters:
    ///   - reading: The result of the reading so far.
    ///   - isTooLong: True if no more will be read.
    ///   - names: The names that a request may have for the server; `nil` if that was looked at before.
    ///   - metrics: Makes the page.
    /// - Returns: `nil` when there is more to read.
    package static func to(
        _ reading: MetricsRequest.Reading, isTooLong: Bool, names: ServerNames?,
        metrics: () -> String
    ) -> MetricsResponse? {
        switch reading {
        case .incomplete:
            return isTooLong ? MetricsResponse(431, "Request Header Fields Too Large") : nil
        case .malformed:
            return MetricsResponse(400, "Bad Request")
        case .request(let request):
            let isHead = request.method == "HEAD"
            // RFC 9110 §7.4. A page of another site may have its name lead here (DNS rebinding).
            if let names, !names.contain(request.host) {
                return MetricsResponse(
                    421, "Misdirected Request",
                    body: "421 Misdirected Request: \(names.refusal(of: request.host))\n",
                    isHead: isHead)
            }
            guard isHead || request.method == "GET" else {
                return MetricsResponse(405, "Method Not Allowed", fields: "Allow: GET, HEAD\r\n")
            }
            guard request.path == "/metrics" else {
                return MetricsResponse(404, "Not Found", isHead: isHead)
            }
            return MetricsResponse(
                200, "OK", body: metrics(), type: metricsType, isHead: isHead)
        }
    }

    private init(
        _ status: Int, _ phrase: String, fields: String = "", body: String? = nil,
        type: String = MetricsResponse.textType, isHead: Bool = false
    ) {
        self.status = status
        let body = body ?? "\(status) \(phrase); the metrics are at /metrics\n"
        let head =
            "HTTP/1.1 \(status) \(phrase)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\(fields)Connection: close\r\n\r\n"
        bytes = Array((head + (isHead ? "" : body)).utf8)
    }
}
