import FanfareBase
import FanfareCore
import FanfareTLS

/// The service that gives out the tokens of a provider that a file describes.
///
/// RFC 6749 §4.4, or a form of the provider's own.
struct DescribedTokenService: Sendable {
    /// The server that is asked.
    let endpoint: Endpoint
    /// The name of the provider.
    let provider: String
    /// With what it is asked, for messages: `app_id and client_secret of hms`.
    let account: String
    private let path: String
    private let exchange: DeclaredExchange
    private let options: DeclaredOptions

    /// - Parameters:
    ///   - exchange: The request for a token.
    ///   - options: The description, and the values of its settings.
    ///   - local: This machine, where the provider's requests go to it in place of the provider; tokens
    ///     are asked for there, too, so that no credentials leave the machine.
    /// - Throws: `FanfareError` with code `configuration` if there is no address that may be asked.
    init(
        _ exchange: DeclaredExchange, of options: DeclaredOptions, local: Endpoint?
    ) throws(FanfareError) {
        self.exchange = exchange
        self.options = options
        provider = options.provider.name
        account = Self.account(exchange, options.provider)
        let text = try Self.bytes(of: exchange.url, options.renderer())
        let url: DeclaredURL
        do throws(DeclaredURL.Fault) {
            url = try DeclaredURL(service: String(decoding: text, as: UTF8.self))
        } catch {
            throw FanfareError(
                .configuration, message: "\(provider): where tokens are given out \(error.text)")
        }
        path = url.path
        endpoint =
            url.isThisMachine
            ? Self.endpoint(url) : local ?? Self.endpoint(url)
        // A file that makes no valid request is an error before the first row.
        _ = try request(now: 0)
    }

    private static func endpoint(_ url: DeclaredURL) -> Endpoint {
        Endpoint(host: url.host, port: url.port, usesTLS: url.isSecure)
    }

    private static func bytes(
        of text: DeclaredText, _ renderer: DeclaredRenderer
    ) throws(FanfareError) -> [UInt8] {
        do throws(DeclaredRowProblem) {
            return try renderer.bytes(of: text, NoRow())
        } catch {
            throw FanfareError(
                .configuration, message: "\(renderer.provider.name): \(error.text)")
        }
    }

    /// The settings that a request has in it.
    private static func account(
        _ exchange: DeclaredExchange, _ provider: DeclaredProvider
    ) -> String {
        var names: [String] = []
        for setting in provider.settings.indices
        where exchange.texts.contains(where: { $0.has(.setting(setting)) }) {
            names.append(provider.settings[setting].name)
        }
        guard let last = names.popLast() else { return "the description of \(provider.name)" }
        let first = names.isEmpty ? "" : names.joined(separator: ", ") + " and "
        return "\(first)\(last) of \(provider.name)"
    }

    // MARK: Requests

    /// The request for a token.
    /// - Parameter now: UNIX seconds.
    /// - Returns: The request.
    /// - Throws: `FanfareError` with code `configuration` if it cannot be made.
    func request(now: Int64) throws(FanfareError) -> TokenRequest {
        let renderer = options.renderer(milliseconds: now * 1000)
        var fields: [(name: String, value: Secret)] = []
        for field in exchange.fields {
            fields.append((field.name, try value(field.value, renderer)))
        }
        let isForm = exchange.encoding == .form
        return TokenRequest(
            .described(DescribedToken(token: exchange.token, lifetime: exchange.lifetime)),
            endpoint: endpoint, path: path,
            fields: [
                ("content-type", Secret(isForm ? FormText.contentType : "application/json")),
                ("accept", Secret("application/json")),
            ],
            body: isForm ? FormText.encoded(fields) : Self.object(fields),
            secrets: options.provider.settings.indices.compactMap { options.settings.secret($0) })
    }

    private func value(
        _ value: DeclaredExchange.Value, _ renderer: DeclaredRenderer
    ) throws(FanfareError) -> Secret {
        switch value {
        case .text(let text):
            var bytes = try Self.bytes(of: text, renderer)
            return Secret(wiping: &bytes)
        case .digest(let digest, let texts):
            var bytes: [UInt8] = []
            defer { _ = Secret(wiping: &bytes) }
            for text in texts { bytes += try Self.bytes(of: text, renderer) }
            return Secret(try hexadecimal(digest, bytes))
        }
    }

    private func hexadecimal(
        _ digest: DeclaredExchange.Digest, _ bytes: [UInt8]
    ) throws(FanfareError) -> String {
        let found: [UInt8]? =
            switch digest {
            case .sha256: SHA256.digest(of: bytes)
            case .md5: MD5.digest(of: bytes)
            }
        guard let found else {
            throw FanfareError(
                .configuration,
                message: "\(provider) wants a digest by \(digest.rawValue), which OpenSSL does not "
                    + "make here; its own configuration (FIPS 140) forbids it")
        }
        var digits = ByteBuffer()
        for byte in found { digits.appendHexadecimal(UInt64(byte), digits: 2) }
        return unsafe String(decoding: digits.bytes, as: UTF8.self)
    }

    /// An object of texts, in memory that is wiped.
    private static func object(_ fields: [(name: String, value: Secret)]) -> Secret {
        // Six for one is the most that escaping makes of a byte: no half of a secret stays behind in
        // memory that was grown out of.
        let most = fields.reduce(2) { sum, field in
            sum + (field.name.utf8.count + field.value.count) * 6 + 6
        }
        var text = ByteBuffer(capacity: most)
        text.append("{")
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(",") }
            text.appendJSONString(field.name)
            text.append(":")
            unsafe field.value.withBytes { unsafe text.appendJSONString($0) }
        }
        text.append("}")
        let secret = unsafe Secret(text.bytes)
        text.removeAll()
        let memory = unsafe text.space(0)
        unsafe Secret.wipe(UnsafeMutableRawBufferPointer(start: memory, count: text.room))
        return secret
    }
}

extension DeclaredExchange {
    /// All texts of a request.
    fileprivate var texts: [DeclaredText] {
        [url]
            + fields.flatMap { field in
                switch field.value {
                case .text(let text): [text]
                case .digest(_, let texts): texts
                }
            }
    }
}
