extension DeclaredProvider {
    /// The proof of the sender that is in requests and good at all hosts, in words; nil if there is none.
    ///
    /// A host that gets such a request can show the proof to any other one. A signature is good for one request,
    /// and gives no key away.
    package var proofInRequests: String? {
        switch authorization {
        case .none, .hmac: break
        case .header, .basic, .bearerFile, .clientCredentials, .login, .serviceAccount, .jwt:
            return "auth of the kind \(authorization.kind.rawValue)"
        }
        let texts = request.fields.map(\.value) + [request.path] + request.body.texts
        for text in texts {
            for case .value(.setting(let setting), _) in text.pieces
            where settings[setting].isSecret {
                return "${secret:\(settings[setting].name)}"
            }
        }
        return nil
    }
}

extension DeclaredBody {
    fileprivate var texts: [DeclaredText] {
        switch self {
        case .none: []
        case .json(let node): node.texts
        case .form(let fields): fields.flatMap(\.value.texts)
        case .text(let text): [text]
        }
    }
}

extension DeclaredNode {
    /// The texts in it, as deep as they are.
    fileprivate var texts: [DeclaredText] {
        switch self {
        case .text(let text): [text]
        case .array(let nodes): nodes.flatMap(\.texts)
        case .object(let members): members.flatMap(\.value.texts)
        case .optional(let node, _), .messages(let node): node.texts
        case .constant, .json, .tokens, .requestID: []
        }
    }
}
