package import Fanfare
import FanfareBase
import FanfareCore

/// An exchange for a person, as curl shows one: the request, the answer, and its meaning.
package struct ExchangeText {
    private let exchange: Exchange

    package init(_ exchange: Exchange) { self.exchange = exchange }

    package func render(color: Bool) -> String {
        var text = "* row \(exchange.row), "
        if exchange.attempt > 1 { text += "attempt \(exchange.attempt), " }
        text += "sent \(TimestampWriter.string(milliseconds: exchange.sentAtMilliseconds))\n"
        for field in exchange.headers {
            text += "> \(field.name): \(field.value.withoutControls)\n"
        }
        text += ">\n" + Self.marked(exchange.payload, with: "> ")
        let tenths = exchange.latency.wholeNanoseconds / 100_000
        let time = "\(tenths / 10).\(tenths % 10) ms"
        guard exchange.status != 0 else {
            text += "* no answer: \(exchange.reason), after \(time)\n"
            if !exchange.fault.isEmpty {
                text += "* fanfare has reset the request: \(exchange.fault.withoutControls)\n"
            }
            return text + meaning(color)
        }
        text += "< \(exchange.status), after \(time)\n"
        for field in exchange.answerHeaders {
            text += "< \(field.name): \(field.value.withoutControls)\n"
        }
        if !exchange.body.isEmpty { text += "<\n" + Self.marked(exchange.body, with: "< ") }
        let left = exchange.bodyBytes - min(UInt64(exchange.body.count), exchange.bodyBytes)
        if left > 0 { text += "* \(left) bytes more\n" }
        return text + meaning(color)
    }

    /// Returns the meaning of the answer as `fanfare explain` words it.
    private func meaning(_ color: Bool) -> String {
        var text = ""
        let explanations =
            exchange.status == 0
            ? Explanation.find(exchange.reason).prefix(1)
            : Explanation.answers(
                status: exchange.status, reason: exchange.reason,
                from: exchange.provider ?? .apns)[...]
        for explanation in explanations {
            text += ExplainCommand.text(explanation, color: color)
        }
        if let timestamp = exchange.timestamp {
            text +=
                "  Since     \(TimestampWriter.string(milliseconds: timestamp)): delete the token if "
                + "it was registered before\n"
        }
        if exchange.isTriedAgain { text += "* it is tried again\n" }
        return text + "\n"
    }

    /// Lines with a mark before each.
    private static func marked(_ bytes: [UInt8], with mark: String) -> String {
        bytes.isEmpty ? "" : bytes.lines(markedBy: mark, \.withoutControls)
    }
}

extension Collection<UInt8> {
    /// Returns the lines of a text with a mark before each.
    /// - Parameters:
    ///   - mark: The mark.
    ///   - shown: Returns a line as it is shown.
    /// - Returns: The lines, each with its end.
    func lines(markedBy mark: String, _ shown: (String) -> String = { $0 }) -> String {
        // By bytes: to Swift's texts a line end of CR and LF is another one.
        split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { mark + shown(String(decoding: $0, as: UTF8.self)) + "\n" }.joined()
    }
}

extension String {
    /// The text without characters that would move a terminal's cursor or change its colors.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
                    return isControl ? "\u{FFFD}" : scalar
                }))
    }
}
