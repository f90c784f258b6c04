import FanfareBase
package import FanfareCore
import FanfareTLS

/// Adds the proof of the sender's identity to requests.
package struct RequestProof {
    /// Makes the texts of the proof.
    private let renderer: DeclaredRenderer
    /// Its settings, which may be masked.
    private let settings: ProviderSettings

    /// - Parameters:
    ///   - renderer: The maker of the requests.
    ///   - settings: Its settings.
    package init(_ renderer: DeclaredRenderer, _ settings: ProviderSettings) {
        self.renderer = renderer
        self.settings = settings
    }

    /// The reason why there is no proof.
    package enum Fault: Error, Equatable {
        case row(DeclaredRowProblem)
        /// A key of the job's settings cannot be used, for this reason.
        case key(String)
        /// The key of a signature is not written as the description says.
        case keyForm(DeclaredHMAC.KeyForm)

        /// The fault, for people.
        package var text: String {
            switch self {
            case .row(let problem): problem.text
            case .key(let reason): reason
            case .keyForm(let form):
                switch form {
                case .text: "the key of the signature cannot be read"
                case .hex: "the key of the signature has something else than hexadecimal digits"
                case .base64: "the key of the signature is not Base64"
                case .webhookSecret:
                    "the key of the signature is not whsec_ and Base64 of "
                        + "\(Limits.webhookKeyBytes.lowerBound) to "
                        + "\(Limits.webhookKeyBytes.upperBound) bytes"
                }
            }
        }
    }

    /// Adds header fields to a request.
    /// - Parameters:
    ///   - request: The request, complete but for these.
    ///   - row: Its first row.
    /// - Throws: `Fault`.
    package func add(
        to request: inout DeclaredRequest, of row: some DeclaredRow
    ) throws(Fault) {
        switch renderer.provider.authorization {
        case .none: return
        case .header(let field): try append(field, to: &request)
        case .basic(let user, let password):
            request.fields.append(
                .init("authorization", try basic(user, password), isSecret: true))
        case .hmac(let hmac): try sign(&request, hmac, row)
        case .jwt(let jwt):
            var renderer = renderer
            renderer.token = try token(jwt)
            try RequestProof(renderer, settings).append(jwt.use, to: &request)
        case .bearerFile, .clientCredentials, .login, .serviceAccount:
            guard let field = renderer.provider.authorization.tokenField else { return }
            var renderer = renderer
            if renderer.token.isEmpty { renderer.token = Array(ProviderSettings.mask.utf8) }
            try RequestProof(renderer, settings).append(field, to: &request)
        }
    }

    private func append(
        _ field: DeclaredField, to request: inout DeclaredRequest
    ) throws(Fault) {
        do throws(DeclaredRowProblem) {
            request.fields.append(try renderer.field(field, NoRow()))
        } catch {
            throw .row(error)
        }
    }

    private func bytes(
        _ text: DeclaredText, _ row: some DeclaredRow, body: [UInt8] = []
    ) throws(Fault) -> [UInt8] {
        do throws(DeclaredRowProblem) {
            return try renderer.bytes(of: text, row, body: body)
        } catch {
            throw .row(error)
        }
    }

    // MARK: Kinds

    /// A name and a password in Base64.
    ///
    /// RFC 7617 §2
    private func basic(_ user: DeclaredText, _ password: DeclaredText) throws(Fault) -> [UInt8] {
        guard !settings.hides(user), !settings.hides(password) else {
            return Array("Basic \(ProviderSettings.mask)".utf8)
        }
        var pair = try bytes(user, NoRow()) + [UInt8(ascii: ":")] + bytes(password, NoRow())
        let encoded = Secret("Basic ", Secret(wiping: &pair).base64, "")
        return unsafe encoded.withBytes { unsafe Array($0) }
    }

    /// Signs a token that begins now.
    func token(_ jwt: DeclaredJWT) throws(Fault) -> [UInt8] {
        guard let pem = settings.secret(jwt.key) else {
            return Array(ProviderSettings.mask.utf8)
        }
        let name = renderer.provider.settings[jwt.key].name
        let algorithm: JOSESigner.Algorithm =
            switch jwt.algorithm {
            case .rs256: .rs256
            case .ps256: .ps256
            case .es256: .es256
            }
        let now = renderer.milliseconds / 1000
        let end = now + jwt.lifetime.components.seconds
        func constant(_ text: String) -> DeclaredNode { .constant(Array(text.utf8)) }
        do {
            let header = try renderer.json(
                of: [
                    DeclaredMember("alg", constant("\"\(jwt.algorithm.rawValue)\"")),
                    DeclaredMember("typ", constant("\"JWT\"")),
                ] + jwt.header)
            let claims = try renderer.json(
                of: jwt.claims + [
                    DeclaredMember("iat", constant("\(now)")),
                    DeclaredMember("exp", constant("\(end)")),
                ])
            let signer = try JOSESigner(algorithm, pem: pem, file: name)
            return Array(try signer.token(header: header, claims: claims).utf8)
        } catch let error as TLSError {
            throw .key(error.description)
        } catch let error as DeclaredRowProblem {
            throw .row(error)
        } catch {
            preconditionFailure("BUG: no other errors are thrown")
        }
    }

    private func sign(
        _ request: inout DeclaredRequest, _ hmac: DeclaredHMAC, _ row: some DeclaredRow
    ) throws(Fault) {
        for field in hmac.also { try append(field, to: &request) }
        let key = keyText(of: row, hmac)
        guard !settings.hides(key) else {
            let value = hmac.prefix + ProviderSettings.mask
            request.fields.append(.init(hmac.field, Array(value.utf8), isSecret: false))
            return
        }
        var message: [UInt8] = []
        for text in hmac.over { message += try bytes(text, row, body: request.body) }
        let code = HMAC.sha256(message, key: try self.key(key, hmac.keyForm, row))
        let value = hmac.prefix + Self.text(code, hmac.form)
        request.fields.append(.init(hmac.field, Array(value.utf8), isSecret: false))
    }

    /// Returns the text of a row's key: that for all rows where it has none of its own.
    private func keyText(of row: some DeclaredRow, _ hmac: DeclaredHMAC) -> DeclaredText {
        guard let usual = hmac.usualKey, !settings.lacks(usual),
            (try? bytes(hmac.key, row))?.isEmpty ?? true
        else { return hmac.key }
        return usual
    }

    private func key(
        _ text: DeclaredText, _ form: DeclaredHMAC.KeyForm, _ row: some DeclaredRow
    ) throws(Fault) -> Secret {
        var bytes = try bytes(text, row)
        let written = Secret(wiping: &bytes)
        let key: Secret? =
            switch form {
            case .text: written
            case .hex: written.hexadecimalDecoded
            case .base64: written.base64Decoded
            case .webhookSecret: written.dropping("whsec_")?.base64Decoded
            }
        guard let key,
            form != .webhookSecret || Limits.webhookKeyBytes.contains(key.count)
        else { throw .keyForm(form) }
        return key
    }

    private static func text(_ code: [UInt8], _ form: DeclaredHMAC.Form) -> String {
        let digits = code.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
        return switch form {
        case .hex: digits
        case .base64: base64(code)
        case .base64OfHex: base64(Array(digits.utf8))
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        return unsafe Secret(wiping: &bytes).base64.withBytes {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
}
