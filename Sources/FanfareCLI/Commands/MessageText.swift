import FanfareFigures
import FanfareJSON

/// The words of a notification, as a person reads them on a phone.
package enum MessageText {
    /// The lines that are enough to know a text again.
    private static let linesMax = 6

    /// Returns the words of a payload.
    /// - Parameters:
    ///   - payload: The JSON of APNs or FCM, or of a provider that a file describes.
    ///   - columns: The width of a line.
    /// - Returns: The title, the subtitle and the body, in lines; the beginning of the JSON where there
    ///   is no text that we know, such as in a background push.
    package static func lines(of payload: String, columns: Int) -> [String] {
        let json = try? JSONValue.parse(Array(payload.utf8))
        let texts = json.map(texts).flatMap { $0.isEmpty ? nil : $0 } ?? [payload]
        let lines = texts.flatMap { $0.split(whereSeparator: \.isNewline) }.flatMap { line in
            PlainText.wrapped(printable(line), columns).split(separator: "\n")
                .flatMap { folded($0, columns) }
        }
        return lines.count > linesMax ? lines.prefix(linesMax) + ["..."] : lines
    }

    private static func texts(_ json: JSONValue) -> [String] {
        // APNs has the text in `aps`, FCM in `message`.
        let alert = json["aps"]?["alert"]
        if case .string(let text)? = alert { return [text] }
        let message = json["message"]
        let places = [
            alert, message?["notification"], message?["android"]?["notification"],
        ].compactMap(\.self)
        for place in places {
            let texts = ["title", "subtitle", "body"].compactMap { name -> String? in
                guard case .string(let text)? = place[name], !text.isEmpty else { return nil }
                return text
            }
            if !texts.isEmpty { return texts }
        }
        return []
    }

    /// The text without characters that a terminal would obey, or that would turn the text around.
    private static func printable(_ text: Substring) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // The joiner of families and flags, without which an emoji falls apart.
            case .format where scalar.value == 0x200D: result.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A line in pieces that fit, for text without blanks such as JSON.
    private static func folded(_ line: Substring, _ columns: Int) -> [String] {
        var (rest, pieces) = (line, [String]())
        while rest.count > columns {
            pieces.append(String(rest.prefix(columns)))
            rest = rest.dropFirst(columns)
        }
        return pieces + [String(rest)]
    }
}
