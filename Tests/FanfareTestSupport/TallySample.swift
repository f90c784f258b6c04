package import FanfareCore

/// A tally of a hundred rows, and what fills one.
package enum TallySample {
    package static func record(
        _ tally: inout Tally, _ outcome: Outcome, _ status: UInt16 = 0, _ reason: String = "",
        attempts: UInt16 = 1
    ) {
        var text = reason
        text.withUTF8 {
            let index = ResponseClass.of(status: status, reason: $0, bodyIsJSON: true).reasonIndex
            tally.record(
                outcome, status: status, reason: $0, index: index, attempts: attempts)
        }
    }

    package static func hundredRows() -> Tally {
        var tally = Tally()
        for _ in 0..<90 { record(&tally, .accepted, 200) }
        for _ in 0..<3 { record(&tally, .unregistered, 410, "Unregistered") }
        record(&tally, .unregistered, 410, "ExpiredToken")
        record(&tally, .failed, 503, "ServiceUnavailable", attempts: 5)
        record(&tally, .failed, 502, attempts: 5)
        record(&tally, .unknown, 0, "connection lost")
        for _ in 0..<2 { record(&tally, .invalid, 0, "token is empty", attempts: 0) }
        record(&tally, .skipped, 0, "token is a duplicate", attempts: 0)
        tally.rowsRead = 100
        return tally
    }
}
