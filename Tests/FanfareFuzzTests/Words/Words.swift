import FanfareCore

@testable import FanfareCLI

extension FuzzTarget {
    /// A proxy's answers to CONNECT.
    static let proxy = FuzzTarget("proxy") { bytes throws(Violation) in
        var verdicts: [(kind: Int, end: Int)] = []
        for pieces in Pieces.ways(bytes) {
            var answer = ProxyAnswer()
            var (taken, found) = (0, (kind: 0, end: 0))
            for piece in pieces where found.kind == 0 {
                switch answer.add(piece) {
                case .incomplete: break
                case .opened(let count):
                    try Violation.check(count <= piece.count, "more than there was")
                    found = (1, taken + count)
                case .refused(let refusal):
                    // The shown part of an answer that is no HTTP depends on the bytes that came
                    // with it.
                    if case .notHTTP = refusal { found = (3, 0) } else { found = (2, 0) }
                }
                taken += piece.count
            }
            verdicts.append(found)
        }
        try Violation.check(
            verdicts.allSatisfy { $0 == verdicts[0] }, "pieces make a difference: \(verdicts)")
    }

    /// A request of a scraper.
    static let metrics = FuzzTarget("metrics", bytesMax: 1024) { bytes throws(Violation) in
        let whole = MetricsRequest.read(bytes)
        var first = MetricsRequest.Reading.incomplete
        for count in 0...bytes.count where first == .incomplete {
            first = MetricsRequest.read(Array(bytes.prefix(count)))
        }
        try Violation.check(whole == first, "\(whole), in pieces \(first)")
        if case .request(let request) = whole {
            try Violation.check(request.path.hasPrefix("/"), "a path that is none")
            try Violation.check(
                request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "bytes in a path")
        }
    }

    /// A line that asks a running job for something.
    static let control = FuzzTarget("control", bytesMax: 512) { bytes throws(Violation) in
        let line = String(decoding: bytes, as: UTF8.self)
        _ = ControlAnswer(line: line)
        guard let request = try? ControlRequest(line: line) else { return }
        let again = try? ControlRequest(line: request.line)
        try Violation.check(again == request, "\(request) is written as \(request.line)")
    }
}
