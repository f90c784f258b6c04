/// A message in a stream that browsers read.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
package struct StreamMessage: Equatable, Sendable {
    /// The message's kind: a word.
    package let name: String
    /// The message's content, which may have several lines.
    package let data: String

    package init(_ name: String, _ data: String) {
        self.name = name
        self.data = data
    }

    /// The lines of the stream, with the empty one that ends the message.
    package var text: String {
        // A line ends with CR or LF, and with no other character that breaks a line elsewhere.
        let lines = data.split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r" || $0 == "\r\n"
        }
        return "event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
    }

    /// The first line of the stream: browsers that lose it come back after so many milliseconds.
    package static let retry = "retry: 2000\n\n"
}
