import FanfareBase

/// Decides about requests to the server of a job's page.
///
/// A value without sockets. Reading is open to those who reach the address; steering needs the key
/// that the terminal shows. Pages of other sites get neither: their names are refused by Host, so
/// that a name which was made to lead here (DNS rebinding) is of no use, and their requests by
/// Origin and Sec-Fetch-Site.
package struct PageGate: Sendable {
    /// The decision about a request.
    package enum Demand: Equatable, Sendable {
        /// The page that shows the job while it runs.
        case page
        /// The news of the job, for as long as it runs.
        case stream
        /// The page about the job that has ended.
        case finalPage
        /// The figures for Prometheus.
        case metrics
        /// An order for the job.
        case order(ControlRequest)
        /// More of the body has to be read first.
        case incomplete
        case refusal(Refusal)
    }

    /// The reason why a request is refused, in HTTP's terms.
    package struct Refusal: Equatable, Sendable {
        package let status: Int
        package let phrase: String
        /// For people, without a full stop.
        package let text: String
        /// The allowed methods, if the refusal is about the method.
        package let allowed: String?

        init(_ status: Int, _ phrase: String, _ text: String, allowed: String? = nil) {
            self.status = status
            self.phrase = phrase
            self.text = text
            self.allowed = allowed
        }
    }

    /// The names that requests may have for the server.
    package var names: ServerNames
    /// The key that allows requests to steer the job; `nil` if it cannot be steered here.
    package var key: PageKey?
    /// True if the figures for Prometheus are here, too.
    package var hasMetrics: Bool

    package init(names: ServerNames, key: PageKey? = nil, hasMetrics: Bool = false) {
        self.names = names
        self.key = key
        self.hasMetrics = hasMetrics
    }

    /// Decides about a request.
    /// - Parameters:
    ///   - request: Its head.
    ///   - body: The bytes behind it.
    /// - Returns: The decision.
    package func demand(_ request: MetricsRequest, body: ArraySlice<UInt8>) -> Demand {
        guard names.contain(request.host) else {
            return .refusal(
                Refusal(421, "Misdirected Request", names.refusal(of: request.host)))
        }
        let reading: Demand? =
            switch request.path {
            case "/": .page
            case "/events": .stream
            case "/final": .finalPage
            case "/metrics" where hasMetrics: .metrics
            default: nil
            }
        if let reading {
            return refusal(ofReading: request, reading).map { .refusal($0) } ?? reading
        }
        guard request.path == "/control", let key else {
            return .refusal(Refusal(404, "Not Found", "the page is at /"))
        }
        return order(request, body, key)
    }

    // MARK: Reading

    private func refusal(ofReading request: MetricsRequest, _ demand: Demand) -> Refusal? {
        let isHead = request.method == "HEAD"
        guard request.method == "GET" || isHead && demand != .stream else {
            return Refusal(
                405, "Method Not Allowed", "this is to be read",
                allowed: demand == .stream ? "GET" : "GET, HEAD")
        }
        // Those that scrape are no browsers, and are answered as they are at an address of their own.
        guard demand != .metrics else { return nil }
        let origins = request.values("origin")
        guard origins.isEmpty || isOwn(origins, request) else { return Self.foreign }
        // A link of another site may lead a person here, and shows that site nothing.
        let isVisit = demand == .page && request.values("sec-fetch-mode") == ["navigate"]
        let sites = request.values("sec-fetch-site")
        guard isVisit || sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            return Self.foreign
        }
        return nil
    }

    private static let foreign = Refusal(403, "Forbidden", "this is for its own page only")

    /// True if a request comes from a page of the server that it names.
    private func isOwn(_ origins: [String], _ request: MetricsRequest) -> Bool {
        guard let host = request.host, !host.isEmpty else { return false }
        if origins == ["http://\(host)"] { return true }
        // The proxy that has the name has TLS mostly, and the browser knows of nothing else.
        return names.wereGiven(host) && origins == ["https://\(host)"]
    }

    // MARK: Steering

    private func order(
        _ request: MetricsRequest, _ body: ArraySlice<UInt8>, _ key: PageKey
    ) -> Demand {
        guard request.method == "POST" else {
            return .refusal(
                Refusal(
                    405, "Method Not Allowed", "what changes the job is posted", allowed: "POST"))
        }
        // Browsers say with every POST where it comes from.
        guard isOwn(request.values("origin"), request),
            request.values("sec-fetch-site").allSatisfy({ $0 == "same-origin" })
        else { return .refusal(Self.foreign) }
        let keys = request.values(PageKey.fieldName)
        guard keys.count == 1, key.isOpened(by: keys[0]) else {
            return .refusal(
                Refusal(403, "Forbidden", "this needs the key that the terminal shows"))
        }
        let count: Int
        switch bodyLength(request) {
        case .success(let length): count = length
        case .failure(let fault): return .refusal(fault.refusal)
        }
        guard body.count >= count else { return .incomplete }
        do throws(ControlRequest.Fault) {
            let order = try ControlRequest(
                line: String(decoding: body.prefix(count), as: UTF8.self))
            if case .status = order { throw ControlRequest.Fault(problem: "the page shows that") }
            return .order(order)
        } catch {
            return .refusal(Refusal(400, "Bad Request", error.problem))
        }
    }

    private struct LengthFault: Error {
        let refusal: Refusal
    }

    /// Returns the body's length: RFC 9112 §6, of which a few words need no more than a length.
    private func bodyLength(_ request: MetricsRequest) -> Result<Int, LengthFault> {
        func fault(_ status: Int, _ phrase: String, _ text: String) -> Result<Int, LengthFault> {
            .failure(LengthFault(refusal: Refusal(status, phrase, text)))
        }
        guard request.values("transfer-encoding").isEmpty else {
            return fault(501, "Not Implemented", "a body comes with its length here")
        }
        let lengths = request.values("content-length")
        guard let text = lengths.first else {
            return fault(411, "Length Required", "a body comes with its length here")
        }
        guard lengths.count == 1, !text.isEmpty,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return fault(400, "Bad Request", "the length of the body is no number") }
        guard let length = Int(text), length <= Limits.pageOrderBytesMax else {
            return fault(
                413, "Content Too Large", "an order has \(Limits.pageOrderBytesMax) bytes at most")
        }
        return .success(length)
    }
}
