import FanfareBase
import FanfareCore
package import FanfareTLS

/// A provider that a file describes, with the values of its settings.
package struct DeclaredOptions: Sendable {
    /// The file's description.
    package let file: ProviderFile
    /// The values.
    package let settings: ProviderSettings

    var provider: DeclaredProvider { file.provider }

    /// Returns the renderer of the provider's texts.
    /// - Parameters:
    ///   - milliseconds: The moment, in UNIX time.
    ///   - requestID: The id of a request; empty for none.
    /// - Returns: The renderer.
    func renderer(milliseconds: Int64 = 0, requestID: [UInt8] = []) -> DeclaredRenderer {
        DeclaredRenderer(
            provider, settings: settings, milliseconds: milliseconds, requestID: requestID,
            isJSON: ProviderFile.isJSON)
    }

    /// True if requests have a place for a payload: a column of this name.
    var takesPayload: Bool { provider.columns.contains(RowSchema.Known.payload.name) }
}

extension ProviderOptions {
    /// A provider that a file describes.
    /// - Parameters:
    ///   - name: The name of a description that comes with Fanfare, or the path of a file.
    ///   - settings: The values of its settings by their names.
    ///   - secretFiles: Files with those that are secret; a line end behind the last line does not count.
    /// - Returns: The provider with its own address.
    /// - Throws: ``FanfareError`` about the file, or about a missing setting.
    public static func declared(
        _ name: String, settings: [String: String] = [:], secretFiles: [String: String] = [:]
    ) throws(FanfareError) -> ProviderOptions {
        let file = try ProviderFile(named: name)
        var secrets: [(name: String, value: Secret)] = []
        for (name, path) in secretFiles.sorted(by: { $0.key < $1.key }) {
            try told(\.inputError) { () throws(TLSError) in
                secrets.append((name, try Secret(wholeFile: path).withoutLineEnd))
            }
        }
        let values: ProviderSettings
        do throws(ProviderSettings.Fault) {
            values = try ProviderSettings(
                file.provider, given: settings.map { ($0.key, $0.value) }, secrets: secrets)
        } catch {
            throw FanfareError(.configuration, message: error.text)
        }
        return try ProviderOptions(file, values)
    }

    /// A provider that a file describes.
    /// - Parameters:
    ///   - file: The description.
    ///   - settings: The values of its settings.
    /// - Throws: `FanfareError` with code `configuration` when they make no address that may be asked.
    package init(_ file: ProviderFile, _ settings: ProviderSettings) throws(FanfareError) {
        self.init()
        let provider = file.provider
        self.provider = .declared(provider.name)
        let declared = DeclaredOptions(file: file, settings: settings)
        self.declared = declared
        guard case .fixed(let text) = provider.origin else { return }
        do {
            let origin = try declared.renderer().bytes(of: text, NoRow())
            let url = try DeclaredURL(origin: String(decoding: origin, as: UTF8.self))
            endpoint = Endpoint(host: url.host, port: url.port, usesTLS: url.isSecure)
        } catch let error as DeclaredURL.Fault {
            throw FanfareError(
                .configuration, message: "\(provider.name): where requests go \(error.text)")
        } catch let error as DeclaredRowProblem {
            throw FanfareError(.configuration, message: "\(provider.name): \(error.text)")
        } catch {
            preconditionFailure("BUG: no other errors are thrown")
        }
    }
}

extension ProviderFile {
    /// Reads a description.
    /// - Parameter name: That of one that comes with Fanfare, or the path of a file.
    /// - Throws: `FanfareError` with code `input` or `configuration`; of several faults the first one.
    package init(named name: String) throws(FanfareError) {
        if let shipped = ShippedProvider(named: name) {
            self = shipped.file()
            return
        }
        let content = try told(\.inputError) { () throws(TLSError) in try Secret(wholeFile: name) }
        let bytes = unsafe content.withBytes { unsafe Array($0) }
        do throws(ProviderFile.Faults) {
            try self.init(bytes, name: name)
        } catch {
            let more = error.list.count - 1
            throw FanfareError(
                .configuration,
                message: "\(name): \(error.list[0].description)"
                    + (more > 0 ? " (and \(more) more)" : ""))
        }
    }
}

extension Secret {
    /// The same without the line end that editors put behind the last line.
    package var withoutLineEnd: Secret {
        unsafe withBytes { bytes in
            var count = bytes.count
            if count > 0, unsafe bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
            if count > 0, unsafe bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
            return unsafe Secret(UnsafeBufferPointer(rebasing: bytes[..<count]))
        }
    }
}
