/// A request, ready to be sent but for the proof of its sender.
package struct DeclaredRequest: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        /// The name in small letters.
        package var name: String
        package var value: [UInt8]
        /// True if no peer and no proxy in between may remember it.
        package var isSecret: Bool

        package init(_ name: String, _ value: [UInt8], isSecret: Bool) {
            self.name = name
            self.value = value
            self.isSecret = isSecret
        }
    }

    package var method: String
    /// Scheme, host and port.
    package var origin: String
    /// The path with the query.
    package var path: String
    package var fields: [Field]
    package var body: [UInt8]

    /// An empty one, for the parts that are the same in all requests.
    package static let empty = DeclaredRequest(
        method: "", origin: "", path: "", fields: [], body: [])

    /// Scheme, host, port, path and query.
    package var url: String { origin + path }
}
