import FanfareBase
package import FanfareCore
import FanfareJSON

/// A file that describes a provider.
package struct ProviderFile: Sendable {
    /// The provider's name: that of a file, or of a description that comes with Fanfare.
    package let name: String
    package private(set) var provider: DeclaredProvider
    /// The checksum of its content.
    let checksum: UInt64

    /// The reasons why a file cannot be used.
    package struct Faults: Error, Sendable {
        /// The faults in the order of the file, at least one.
        package let list: [DeclaredFault]
    }

    /// Reads a description.
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - name: The description's name in messages.
    /// - Throws: All mistakes in it.
    package init(_ bytes: [UInt8], name: String) throws(Faults) {
        self.name = name
        checksum = Checksum.of(bytes)
        let text = Array(bytes.dropFirst(ByteOrderMark.count(in: bytes)))
        switch try DeclaredReader.read(Self.json(text), text: text, isJSON: Self.isJSON) {
        case .provider(let provider): self.provider = provider
        case .faults(let list): throw Faults(list: list)
        }
    }

    /// Returns the description with other hosts that rows may name.
    func allowing(_ hosts: RowHosts) -> ProviderFile {
        guard case .column(let column, _) = provider.origin else { return self }
        var file = self
        file.provider.origin = .column(column, hosts: hosts)
        return file
    }

    private static func json(_ text: [UInt8]) throws(Faults) -> PlacedJSON {
        do throws(JSONError) {
            return try PlacedJSONParser().file(text)
        } catch {
            let place = DeclaredPlace(line: max(error.line, 1), pointer: JSONPointer())
            let byte = error.line == 0 ? "" : " at byte \(error.column) of the line"
            throw Faults(list: [
                DeclaredFault(
                    place,
                    "is \(error.message)\(byte); look for a comma, a quote or a bracket too many or too few"
                )
            ])
        }
    }

    /// Returns true if a text is one value of JSON.
    package static func isJSON(_ text: [UInt8]) -> Bool {
        unsafe text.withUnsafeBufferPointer { unsafe JSONValidator().isValid($0) }
    }

    /// Reads an answer as the description requires.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body, as far as it has come.
    ///   - isComplete: True if the whole body has come.
    /// - Returns: The parts of the answer to judge.
    package func reply(status: UInt16, body: [UInt8], isComplete: Bool = true) -> DeclaredReply {
        unsafe body.withUnsafeBufferPointer {
            unsafe reply(
                status: status, body: $0, isComplete: isComplete, parser: PlacedJSONParser())
        }
    }

    /// Reads an answer with a parser that is used again.
    func reply(
        status: UInt16, body: UnsafeBufferPointer<UInt8>, isComplete: Bool,
        parser: borrowing PlacedJSONParser
    ) -> DeclaredReply {
        guard isComplete else { return DeclaredReply(status: status, body: nil, isPage: true) }
        let json = unsafe parser.answer(body, decoding: provider.answer.decoded)
        return DeclaredReply(status: status, body: json, isPage: json == nil && !body.isEmpty)
    }
}

extension Limits {
    /// The largest file that describes a provider: the shipped ones have 3 to 6 KiB, most of it examples.
    package static let providerFileBytesMax = 1024 * 1024

    /// The longest answer that is judged: one for 2,000 rows with 100 bytes each, five times over.
    package static let declaredAnswerBytesMax = 1024 * 1024
}
