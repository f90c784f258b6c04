import Foundation
import Testing

/// A stream of messages as a browser reads it: a second reading of the specification, in the test.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
struct StreamReader {
    struct Message: Equatable {
        var name: String
        var data: String

        /// The data as an object of JSON.
        var object: [String: Any] {
            get throws {
                let value = try JSONSerialization.jsonObject(with: Data(data.utf8))
                return try #require(value as? [String: Any], "\(data)")
            }
        }
    }

    private(set) var messages: [Message] = []
    private(set) var retry: Int?

    /// Reads a stream whose last message may be torn, which is none then.
    init(_ text: String) {
        var name = ""
        var data: [String] = []
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.dropLast() {
            if line.isEmpty {
                if !data.isEmpty {
                    messages.append(
                        Message(
                            name: name.isEmpty ? "message" : name,
                            data: data.joined(separator: "\n")))
                }
                name = ""
                data = []
                continue
            }
            let field = line.prefix { $0 != ":" }
            var value = line.dropFirst(field.count + 1)
            if value.first == " " { value = value.dropFirst() }
            switch field {
            case "event": name = String(value)
            case "data": data.append(String(value))
            case "retry": retry = Int(value)
            default: break
            }
        }
    }

    /// The messages of a name.
    func all(_ name: String) -> [Message] { messages.filter { $0.name == name } }
}
