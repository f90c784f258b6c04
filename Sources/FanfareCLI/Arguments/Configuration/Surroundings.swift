/// The surroundings of a command line: the environment's variables, and files.
package struct Surroundings: Sendable {
    /// A file that could not be read, with the system's reason.
    package struct Unreadable: Error {
        let reason: String

        package init(_ reason: String) {
            self.reason = reason
        }
    }

    /// The names of the environment variables that have a value.
    let names: @Sendable () -> [String]
    /// The value of an environment variable.
    let variable: @Sendable (String) -> String?
    /// The bytes of a file.
    let contents: @Sendable (String) throws(Unreadable) -> [UInt8]

    package init(
        names: @escaping @Sendable () -> [String] = { [] },
        variable: @escaping @Sendable (String) -> String?,
        contents: @escaping @Sendable (String) throws(Unreadable) -> [UInt8]
    ) {
        self.names = names
        self.variable = variable
        self.contents = contents
    }

    /// Neither variables nor files.
    package static let none = Surroundings(
        variable: { _ in nil },
        contents: { (_) throws(Unreadable) in throw Unreadable("there are no files") })
}
