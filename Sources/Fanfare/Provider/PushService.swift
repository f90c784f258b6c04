import FanfareBase
import FanfareCore
import FanfareHTTP2

/// What the engine has to know of a provider: how rows become requests, and what the answers mean.
///
/// The engine names no provider. Each one is a type in this folder, and its credentials come from a
/// `CredentialSource`. All lanes of a job share it.
protocol PushService: AnyObject, Sendable {
    /// Whose answers its answers are, for people; `nil` where that is any server.
    var provider: ProviderKind? { get }

    // MARK: Requests

    /// Whether rows are sent at all; otherwise they are held against the rules for rows, and that is all.
    var isAsked: Bool { get }

    /// The header fields of a connection's requests, and the places for values that rows bring.
    ///
    /// Places come before optional fields: `PreparedRow.fields` has the values in this order.
    /// - Parameter credential: What proves who we are; `nil` without, or where requests bring it.
    /// - Returns: In the order in which they are sent.
    func headerFields(credential: String?) -> [HeaderField]

    /// The body of all requests where rows only count them; `nil` where each row has its own.
    var fixedBody: [UInt8]? { get }

    /// When notifications expire whose rows do not say so, in seconds of UNIX time; 0 for never.
    var expiration: Int64 { get }

    // MARK: Rows

    /// What is wrong with a device token; `nil` for a good one.
    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem?

    /// Puts the values of a row that its request's header fields need into it.
    ///
    /// Its token is there already.
    /// - Parameters:
    ///   - batch: Where the row is.
    ///   - index: Which it is.
    ///   - row: The place for it.
    /// - Returns: The most bytes that its payload may have.
    /// - Throws: What is wrong with the row.
    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int

    /// Appends the payload that a row brings itself to its memory, as it goes over the wire.
    /// - Parameters:
    ///   - payload: A JSON object, unless rows are not checked.
    ///   - row: Its token is there already.
    /// - Throws: What is wrong with it.
    func appendPayload(
        _ payload: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) throws(RowProblem)

    /// What makes the requests of rows as a whole, bodies included; `nil` where a row's payload is the body.
    var requestMaker: (any RequestMaker)? { get }

    // MARK: Answers

    /// Makes what says what answers mean: one for each lane, which alone uses it.
    func makeJudge() -> any AnswerJudge
}

extension PushService {
    var isAsked: Bool { true }

    var requestMaker: (any RequestMaker)? { nil }

    func appendPayload(
        _ payload: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) throws(RowProblem) {
        unsafe row.bytes.append(payload)
    }
}

/// Makes the requests of rows as a whole, where a row's payload is not the body.
protocol RequestMaker: AnyObject, Sendable {
    /// Makes the request of a row: the values of its header fields, and its payload.
    /// - Parameters:
    ///   - batch: Where the row is.
    ///   - index: Which it is.
    ///   - template: The job's payload, for a place that the request may have for one.
    ///   - row: The place for it; its token is there already.
    /// - Returns: The most bytes that its payload may have.
    /// - Throws: What is wrong with the row.
    func makeRequest(
        of batch: RowBatch, _ index: Int, template: PayloadTemplate?, in row: inout PreparedRow
    ) throws(RowFailure) -> Int

    /// Makes the request of a row once more, before another attempt.
    ///
    /// What it says of the time, and what is signed with that, would be old.
    /// - Parameter row: Its request is not on the way.
    func renewRequest(of row: inout PreparedRow)

    /// How rows share requests; `nil` where each has one of its own.
    ///
    /// Rows may go together whose `PreparedRow.shareKey` is the same.
    var sharing: RequestSharing? { get }

    /// Makes one request of several rows, in the place of the first one's.
    /// - Parameters:
    ///   - row: The first one, whose request is not on the way.
    ///   - others: Those that go with it.
    /// - Returns: False when it would be too large for one request.
    func makeRequest(of row: inout PreparedRow, with others: [FellowRow]) -> Bool
}

/// A row that goes on the request of another one.
struct FellowRow {
    var number: UInt64
    var token: [UInt8]
    /// What `PreparedRow.values` has.
    var values: [UInt8]
}

/// What is wrong with a row, and where in it.
struct RowFailure: Error, Equatable {
    var problem: RowProblem
    /// What it is about, like the name of a column; empty without.
    var detail = ""

    init(_ problem: RowProblem, _ detail: String = "") {
        self.problem = problem
        self.detail = detail
    }
}

/// Says what a provider's answers mean.
protocol AnswerJudge: AnyObject {
    /// Finds out what an answer means.
    /// - Parameters:
    ///   - response: The answer, as far as it has come.
    ///   - row: What was sent.
    /// - Returns: It borrows from the answer, and from the judge until the next one.
    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement

    /// What the answer that was judged last means for one of several rows of its request.
    /// - Parameter index: Its place in the request; 0 for the one that was asked about.
    /// - Returns: The verdict, and what the answer says of when to come again; lent like `judge`.
    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>)

    /// Whether the rows of the answer that was judged last are to be sent again in two requests.
    var splits: Bool { get }

    /// Finds out what the debug data of a GOAWAY mean.
    /// - Parameter debugData: As the server sent them.
    /// - Returns: `nil` where they are not the provider's words; it borrows like `judge`.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice?
}

extension AnswerJudge {
    var splits: Bool { false }

    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>) {
        preconditionFailure("BUG: an answer to one row is asked about several")
    }
}

/// What an answer means, and the provider's own words about it.
@safe
struct Judgement {
    var `class`: ResponseClass
    /// Why, in the provider's words; empty without.
    var reason = unsafe UnsafeBufferPointer<UInt8>.empty
    /// The message's id if the provider chose it; empty if it is the one that was sent, or none.
    var messageID = unsafe UnsafeBufferPointer<UInt8>.empty
    /// When the token became invalid, in milliseconds of UNIX time.
    var timestamp: Int64?
    /// Whether that is taken to be the moment of sending, because the provider names none.
    var isDeadWhenSent = false

    // Inlined: one is made for each answer.
    @inline(__always)
    init(_ class: ResponseClass) {
        self.class = `class`
    }
}

/// Why a provider ends a connection, in its own words.
@safe
struct GoAwayNotice {
    let reason: UnsafeBufferPointer<UInt8>
    /// What it means; `nil` for an unknown reason.
    let `class`: ResponseClass?
}
