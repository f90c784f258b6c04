import Foundation

/// The openssl command, which makes keys and certificates of all kinds.
package enum OpenSSLCommand {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    private static let path = "/usr/bin/openssl"
    package static let exists = FileManager.default.isExecutableFile(atPath: path)

    /// Runs it in a folder, and keeps what it says in the folder's `openssl.log`.
    fileprivate static func run(_ arguments: [String], in folder: TemporaryFolder) throws {
        guard exists else { throw Failed(description: "openssl is not installed") }
        try folder.write("", to: "openssl.log")
        let log = try FileHandle(forWritingTo: URL(filePath: folder.path("openssl.log")))
        defer { try? log.close() }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(description: "openssl \(arguments): \(folder.text(of: "openssl.log"))")
        }
    }
}

extension TemporaryFolder {
    /// Runs the openssl command in this folder.
    package func openssl(_ arguments: String...) throws { try openssl(arguments) }

    package func openssl(_ arguments: [String]) throws {
        try OpenSSLCommand.run(arguments, in: self)
    }
}
