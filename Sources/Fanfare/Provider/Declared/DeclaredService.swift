import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// A provider that a file describes.
///
/// The parts that are the same in all requests of a connection are made once: the line, the fields
/// with settings alone, the proof of identity. The parts that differ from row to row have places.
final class DeclaredService: PushService {
    /// The settings for all rows of a job.
    struct Settings: Sendable {
        /// The scheme of the requests.
        var scheme: String
        /// The host, and the port if it is not the scheme's own.
        var authority: String
        /// Tells the job from others, where requests are told from each other.
        var job: String
        /// The places of the description's columns in a row.
        var slots: [Int]
        /// The values of the job's message for these columns; `nil` without a message.
        var filled: [FilledColumn?]?
        /// True if rows are only validated; no such provider can be asked about them.
        var validatesOnly = false
    }

    let options: DeclaredOptions
    let settings: Settings
    let unixMilliseconds: @Sendable () -> Int64
    /// The fields of each request in their order, but for those that come with a credential.
    private let fields: [HeaderField]
    /// True if the path depends on the row.
    let pathVaries: Bool
    /// True for each of the request's own fields, and those of a signature, that depends on the
    /// row.
    let fieldsVary: [Bool]

    /// Those of the settings, and what a request says of a name and a password: their Base64.
    var secrets: [Secret] {
        guard case .basic = options.provider.authorization else { return options.settings.secrets }
        let sent = proof(nil).compactMap { $0.value?.split(separator: " ").last }
        return options.settings.secrets + sent.map { Secret(String($0)) }
    }

    /// - Parameters:
    ///   - options: The description, and the values of its settings.
    ///   - settings: The settings for all rows of the job.
    ///   - unixMilliseconds: The wall clock.
    /// - Throws: `FanfareError` with code `configuration` about a value that it cannot send.
    init(
        _ options: DeclaredOptions, _ settings: Settings,
        unixMilliseconds: @escaping @Sendable () -> Int64
    ) throws(FanfareError) {
        let provider = options.provider
        self.options = options
        self.settings = settings
        self.unixMilliseconds = unixMilliseconds
        var texts = provider.request.fields
        pathVaries = provider.request.path.varies || provider.origin.isOfRows
        if case .hmac(let hmac) = provider.authorization {
            texts += hmac.also
            // About the body, which is another one for each row.
            texts.append(
                DeclaredField(hmac.field, DeclaredText([.value(.body, fallback: nil)])))
        }
        fieldsVary = texts.map(\.value.varies)
        let places = fieldsVary.count { $0 } + (pathVaries ? 1 : 0)
        guard places <= PreparedRow.fieldsMax else {
            throw FanfareError(
                .configuration,
                message: "\(provider.name): \(places) header fields are others for each row, and "
                    + "\(PreparedRow.fieldsMax) may be; write some of them into the body")
        }
        do throws(DeclaredRowProblem) {
            fields = try Self.fields(
                texts, varying: fieldsVary, options, settings, pathVaries: pathVaries)
        } catch {
            throw FanfareError(.configuration, message: "\(provider.name): \(error.text)")
        }
    }

    private static func fields(
        _ texts: [DeclaredField], varying: [Bool], _ options: DeclaredOptions,
        _ settings: Settings, pathVaries: Bool
    ) throws(DeclaredRowProblem) -> [HeaderField] {
        let renderer = options.renderer()
        var list = [
            HeaderField(":method", options.provider.request.method),
            HeaderField(":scheme", settings.scheme),
            HeaderField(":authority", settings.authority),
        ]
        let path = pathVaries ? nil : try renderer.path(NoRow())
        list.append(HeaderField(":path", path, .withoutIndexing))
        for (field, varies) in zip(texts, varying) {
            guard !varies else {
                list.append(HeaderField(field.name, nil, .nameOnly))
                continue
            }
            let fixed = try renderer.field(field, NoRow())
            list.append(
                HeaderField(
                    fixed.name, String(decoding: fixed.value, as: UTF8.self),
                    fixed.isSecret ? .neverIndexed : .indexed))
        }
        return list
    }

    // MARK: The service

    var provider: ProviderKind? { .declared(DeclaredName(options.provider.name)) }

    var isAsked: Bool { !settings.validatesOnly }

    var fixedBody: [UInt8]? { nil }

    /// A description has no word for how long a message lives.
    var expiration: Int64 { 0 }

    func makeRequestMaker() -> (any RequestMaker)? { DeclaredRequestMaker(self) }

    func headerFields(credential: String?) -> [HeaderField] { fields + proof(credential) }

    /// Returns the fields that prove the sender's identity, if they are the same for all requests
    /// of a connection.
    private func proof(_ credential: String?) -> [HeaderField] {
        var renderer = options.renderer()
        var found: [DeclaredRequest.Field] = []
        switch options.provider.authorization {
        case .none, .hmac: return []
        case .header, .basic:
            var request = DeclaredRequest.empty
            // The job has refused settings without a valid value.
            try? RequestProof(renderer, options.settings).add(to: &request, of: NoRow())
            found = request.fields
        case .bearerFile, .clientCredentials, .login, .serviceAccount, .jwt:
            guard let credential, let field = options.provider.authorization.tokenField else {
                return []
            }
            renderer.token = Array(credential.utf8)
            if let made = try? renderer.field(field, NoRow()) { found = [made] }
        }
        return found.map { field in
            HeaderField(field.name, String(decoding: field.value, as: UTF8.self), .neverIndexed)
        }
    }

    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        if token.isEmpty { return .tokenEmpty }
        guard unsafe HeaderRules.isVisibleASCII(token) else { return .tokenInvalid }
        guard let shape = options.provider.token.shape else { return nil }
        return unsafe shape.fits(token) ? nil : .tokenOfOtherShape
    }

    /// They are made with the body.
    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int { .max }

    func makeJudge() -> any AnswerJudge { DeclaredAnswerJudge(options.file) }
}

extension DeclaredRowProblem {
    /// The same in the words of reports.
    var failure: RowFailure {
        switch self {
        case .tokenMissing: RowFailure(.tokenMissing)
        case .tokenTooLong: RowFailure(.tokenTooLong)
        case .tokenInvalid: RowFailure(.tokenInvalid)
        case .tokenShape(let shape): RowFailure(.tokenOfOtherShape, shape)
        case .valueMissing(let column): RowFailure(.templateValueMissing, column)
        case .valueNotJSON(let column): RowFailure(.templateValueNotJSON, column)
        case .valueRefused(let column, let problem):
            RowFailure(.valueRefused, "\(column) \(problem)")
        case .fieldValue(let name): RowFailure(.fieldInvalid, name)
        case .url(let fault): RowFailure(.urlRefused, "it \(fault.text)")
        case .path(let fault): RowFailure(.urlRefused, "its path \(fault.text)")
        case .bodyTooLarge(let bytes, let most):
            RowFailure(.payloadTooLarge, "\(bytes) bytes where \(most) are the most")
        case .notOfTheBatch, .tooManyRows: RowFailure(.fieldInvalid, text)
        }
    }
}
