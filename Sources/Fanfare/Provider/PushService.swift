import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// The engine's view of a provider: it turns rows into requests, and answers into verdicts.
///
/// The engine names no provider. Each one is a type in this folder, and its credentials come from a
/// `CredentialSource`. All lanes of a job share it.
protocol PushService: AnyObject, Sendable {
    /// The kind of the provider, for people; `nil` for any other server.
    var provider: ProviderKind? { get }

    // MARK: Requests

    /// True if rows are sent; otherwise they are only checked against the rules for rows.
    var isAsked: Bool { get }

    /// The header fields of a connection's requests, and the places for values that rows bring.
    ///
    /// Places come before optional fields: `PreparedRow.fields` has the values in this order.
    /// - Parameter credential: The credential; `nil` without one, or if requests bring it.
    /// - Returns: The fields in the order in which they are sent.
    func headerFields(credential: String?) -> [HeaderField]

    /// Secrets that its requests carry besides a credential: they are not to be shown where the provider
    /// repeats them.
    var secrets: [Secret] { get }

    /// The body of all requests where rows only count them; `nil` where each row has its own.
    var fixedBody: [UInt8]? { get }

    /// The expiration of notifications whose rows set none, in seconds of UNIX time; 0 for never.
    var expiration: Int64 { get }

    // MARK: Rows

    /// Returns the problem of a device token; `nil` for a good one.
    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem?

    /// Copies the values that a request's header fields need into its row.
    ///
    /// The row's token is there already.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - index: The index of the row.
    ///   - row: The place for the values.
    /// - Returns: The most bytes that its payload may have.
    /// - Throws: `RowProblem` about the row.
    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int

    /// Appends a row's own payload to its memory, in the form for the wire.
    /// - Parameters:
    ///   - payload: A JSON object, unless rows are not checked.
    ///   - row: The row, whose token is there already.
    /// - Throws: `RowProblem` about the payload.
    func appendPayload(
        _ payload: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) throws(RowProblem)

    /// Makes a maker of whole requests, bodies included; `nil` if a row's payload is the body.
    ///
    /// Each lane has its own, which it alone uses.
    func makeRequestMaker() -> (any RequestMaker)?

    // MARK: Answers

    /// Makes a judge of answers: one for each lane, which alone uses it.
    func makeJudge() -> any AnswerJudge
}

extension PushService {
    var isAsked: Bool { true }

    func makeRequestMaker() -> (any RequestMaker)? { nil }

    func appendPayload(
        _ payload: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) throws(RowProblem) {
        unsafe row.bytes.append(payload)
    }
}

/// Makes the requests of rows as a whole, where a row's payload is not the body.
protocol RequestMaker: AnyObject {
    /// Makes the request of a row: the values of its header fields, and its payload.
    ///
    /// For a row that may share a request it may leave both to the time when the rows of the request are
    /// known: then it only makes sure that there will be one.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - index: The index of the row.
    ///   - template: The job's payload, for a place that the request may have for one.
    ///   - row: The place for it; its token is there already.
    /// - Returns: The most bytes that its payload may have.
    /// - Throws: `RowFailure` about the row.
    func makeRequest(
        of batch: RowBatch, _ index: Int, template: PayloadTemplate?, in row: inout PreparedRow
    ) throws(RowFailure) -> Int

    /// Makes the request of a row once more, before another attempt.
    ///
    /// Its times and the signatures over them would be old.
    /// - Parameter row: The row, whose request is not on the way.
    func renewRequest(of row: inout PreparedRow)

    /// The way rows share requests; `nil` if each has one of its own.
    ///
    /// Rows with the same `PreparedRow.shareKey` may share a request.
    var sharing: RequestSharing? { get }

    /// Makes one request of several rows, in the place of the first one's.
    /// - Parameters:
    ///   - row: The first one, whose request is not on the way.
    ///   - others: Those that go with it.
    /// - Returns: False when it would be too large for one request.
    func makeRequest(of row: inout PreparedRow, with others: [FellowRow]) -> Bool
}

extension PushService {
    var secrets: [Secret] { [] }
}

/// A row that goes on the request of another one.
///
/// It borrows from the row, which does not change meanwhile.
@safe
struct FellowRow {
    var number: UInt64
    var token: UnsafeBufferPointer<UInt8>
    /// The content of `PreparedRow.values`.
    var values: UnsafeBufferPointer<UInt8>
}

/// The problem of a row, with its place.
struct RowFailure: Error, Equatable {
    var problem: RowProblem
    /// The place of the problem, such as the name of a column; empty without one.
    var detail = ""

    init(_ problem: RowProblem, _ detail: String = "") {
        self.problem = problem
        self.detail = detail
    }
}

/// Finds the meaning of a provider's answers.
protocol AnswerJudge: AnyObject {
    /// Returns the meaning of an answer.
    /// - Parameters:
    ///   - response: The answer, as far as it has come.
    ///   - row: The row that was sent.
    /// - Returns: The judgement, which borrows from the answer, and from the judge until the next
    ///   one.
    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement

    /// Returns the meaning of the answer that was judged last for one of several rows of its
    /// request.
    /// - Parameter index: The row's place in the request; 0 for the row of that judgement.
    /// - Returns: The verdict, and the answer's retry-after value; lent like `judge`.
    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>)

    /// Returns the wait that the body of the answer that was judged last asks for before a row is sent again.
    /// - Parameter index: The row's place in the request; 0 for the row of that judgement.
    /// - Returns: The wait; `nil` if the body asks for none.
    func wait(ofRow index: Int) -> Duration?

    /// Compares the last answer's judgement of a row with that of the row before it.
    /// - Parameter index: The row's place in the request, from 1.
    /// - Returns: True if they are the same for all rows, also for those with columns of their own.
    func repeats(row index: Int) -> Bool

    /// True if the rows of the answer that was judged last must be sent again in two requests.
    var splits: Bool { get }

    /// Finds the meaning of the debug data of a GOAWAY.
    /// - Parameter debugData: The data as the server sent them.
    /// - Returns: `nil` where they are not the provider's words; it borrows like `judge`.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice?
}

extension AnswerJudge {
    var splits: Bool { false }

    func wait(ofRow index: Int) -> Duration? { nil }

    func repeats(row index: Int) -> Bool { false }

    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>) {
        preconditionFailure("BUG: an answer to one row is asked about several")
    }
}

/// The meaning of an answer, with the provider's own words about it.
@safe
struct Judgement {
    var `class`: ResponseClass
    /// The reason, in the provider's words; empty without one.
    var reason = unsafe UnsafeBufferPointer<UInt8>.empty
    /// The message's id if the provider chose it; empty if it is the one that was sent, or none.
    var messageID = unsafe UnsafeBufferPointer<UInt8>.empty
    /// The moment when the token became invalid, in milliseconds of UNIX time.
    var timestamp: Int64?
    /// True if the moment of sending counts as that moment, because the provider names none.
    var isDeadWhenSent = false

    // Inlined: one is made for each answer.
    @inline(__always)
    init(_ class: ResponseClass) {
        self.class = `class`
    }
}

/// The reason why a provider ends a connection, in its own words.
@safe
struct GoAwayNotice {
    var reason: UnsafeBufferPointer<UInt8>
    /// The meaning of the reason; `nil` for an unknown one.
    let `class`: ResponseClass?
}
