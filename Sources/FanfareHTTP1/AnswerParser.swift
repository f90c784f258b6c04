internal import FanfareBase
internal import FanfareHTTP2

/// A parser of one answer, and the interim ones before it, from bytes that come in pieces of any
/// size.
///
/// ```
///  statusLine ──► fields ──┬──────────────────────────────────────────────► ended(whole)
///      ▲            │      ├──► counted ─────────────────────────────────────────▲
///      └── interim ─┘      ├──► chunkSize ──► chunk ──► chunkEnd ──► chunkSize    │
///                          │        └──► trailers ───────────────────────────────┤
///                          └──► untilClose ──────────────────────────────────────┘
/// ```
/// RFC 9112
struct AnswerParser: ~Copyable {
    enum Phase: Equatable {
        /// A status line is next. May become `fields`.
        case statusLine
        /// Header fields and the empty line. May become `statusLine` after an interim answer, and
        /// otherwise the state that the head asks for.
        case fields
        /// So many bytes are missing. May become `ended`.
        case counted(UInt64)
        /// The size of a chunk is next. May become `chunk`, `trailers`.
        case chunkSize
        /// So many bytes of a chunk are missing. May become `chunkEnd`.
        case chunk(UInt64)
        /// The line end behind a chunk, of which CR may have come. May become `chunkSize`.
        case chunkEnd(hasReturn: Bool)
        /// Fields behind the body. May become `ended`.
        case trailers
        /// All that comes is content. May become `ended` with the connection.
        case untilClose
        /// Nothing more belongs to the answer, or nothing more is wanted.
        case ended
    }

    private(set) var phase = Phase.ended
    private(set) var answer: KeptAnswer
    private var head = AnswerHead()
    /// The head whose fields the answer has kept, also while the next answer has not begun.
    private var known = KnownHead()
    private var line = LineReader()
    private var interimCount = 0
    private var extensionBytes = 0
    private var lacksContent = false
    private let bodyBytesMax: UInt64
    /// True if the connection can have no other answer behind this one.
    private(set) var closes = false

    /// - Parameters:
    ///   - bodyLimit: Bytes of a body that are kept.
    ///   - bodyBytesMax: Bytes of a body that are waited for.
    ///   - quota: The fields of a quota, if answers have them.
    init(
        bodyLimit: Int, bodyBytesMax: UInt64 = Limits.answerBodyBytes, quota: QuotaFields? = nil
    ) {
        answer = KeptAnswer(bodyLimit: bodyLimit, quota: quota)
        self.bodyBytesMax = bodyBytesMax
    }

    var allocatedBytes: Int { line.allocatedBytes + known.allocatedBytes }

    /// Returns the numbers of the quota's fields that have come since the last call.
    mutating func takeQuota() -> QuotaNotice { answer.quota.take() }

    /// Prepares for the next answer.
    /// - Parameter lacksContent: True if the request's method is HEAD.
    mutating func begin(lacksContent: Bool) {
        answer.clearContent()
        head = AnswerHead()
        phase = .statusLine
        interimCount = 0
        extensionBytes = 0
        self.lacksContent = lacksContent
        closes = false
    }

    /// Takes bytes off the front until the answer has ended, or all are taken.
    /// - Throws: The fault of the answer; nothing of it counts then.
    mutating func receive(_ rest: inout UnsafeBufferPointer<UInt8>) throws(AnswerFault) {
        let piece = unsafe rest
        do throws(AnswerFault) {
            if phase == .statusLine, line.pendingCount == 0 { unsafe try begin(&rest) }
            while !rest.isEmpty, phase != .ended { unsafe try step(&rest, of: piece) }
        } catch {
            answer.clear()
            known.forget()
            phase = .ended
            throw error
        }
    }

    /// Takes a head that is the same as the one before, without a look at its parts.
    private mutating func begin(_ rest: inout UnsafeBufferPointer<UInt8>) throws(AnswerFault) {
        guard unsafe known.begins(rest) else {
            known.forget()
            return answer.clearFields()
        }
        unsafe rest = UnsafeBufferPointer(rebasing: rest[known.count...])
        head = known.head
        try headEnded()
    }

    /// Notes that the connection has ended in good order: an answer without an announced end ends
    /// with it.
    /// - Returns: True if that makes the answer whole.
    mutating func endReceived() -> Bool {
        guard phase == .untilClose else { return false }
        end()
        return true
    }

    private mutating func end() {
        phase = .ended
        answer.isComplete = true
    }

    private mutating func step(
        _ rest: inout UnsafeBufferPointer<UInt8>, of piece: UnsafeBufferPointer<UInt8>
    ) throws(AnswerFault) {
        switch phase {
        case .statusLine:
            unsafe try AnswerHead.check(beginning: rest, offset: line.pendingCount)
            guard let text = unsafe try headLine(&rest) else { return }
            unsafe try head.receive(statusLine: text)
            phase = .fields
        case .fields:
            guard let text = unsafe try headLine(&rest) else { return }
            guard !text.isEmpty else {
                unsafe keepHead(piece[..<(piece.count - rest.count)])
                return try headEnded()
            }
            unsafe try receive(field: text, isTrailer: false)
        case .trailers:
            guard let text = unsafe try headLine(&rest) else { return }
            guard !text.isEmpty else { return end() }
            unsafe try receive(field: text, isTrailer: true)
        case .counted(let missing):
            guard let left = unsafe takeBody(&rest, missing) else { return }
            if left == 0 { end() } else { phase = .counted(left) }
        case .chunkSize:
            unsafe try receiveChunkSize(&rest)
        case .chunk(let missing):
            guard let left = unsafe takeBody(&rest, missing) else { return }
            phase = left == 0 ? .chunkEnd(hasReturn: false) : .chunk(left)
        case .chunkEnd(let hasReturn):
            let expected = UInt8(ascii: hasReturn ? "\n" : "\r")
            guard unsafe rest.first == expected else { throw .chunkEnd }
            unsafe rest = UnsafeBufferPointer(rebasing: rest[1...])
            phase = hasReturn ? .chunkSize : .chunkEnd(hasReturn: true)
        case .untilClose:
            unsafe _ = takeBody(&rest, .max)
        case .ended:
            break
        }
    }

    // MARK: Heads

    private mutating func headLine(
        _ rest: inout UnsafeBufferPointer<UInt8>
    ) throws(AnswerFault) -> UnsafeBufferPointer<UInt8>? {
        unsafe try line.next(
            &rest, limit: Limits.answerHeadBytes - head.bytes, excess: .headTooLarge)
    }

    private mutating func receive(
        field text: UnsafeBufferPointer<UInt8>, isTrailer: Bool
    ) throws(AnswerFault) {
        unsafe head.count(line: text)
        let field = unsafe try AnswerHead.Field(text)
        try head.receive(field, isTrailer: isTrailer)
        if isTrailer, head.closes { closes = true }
        if !isTrailer { answer.receive(field) }
    }

    /// Keeps the head that ends here for the next answer, if all of it is here.
    private mutating func keepHead(_ found: Slice<UnsafeBufferPointer<UInt8>>) {
        let count = head.bytes + 2
        // The numbers of a quota are taken from each answer.
        guard !head.isInterim, !answer.readsQuota, unsafe found.count >= count else { return }
        unsafe known.keep(head, UnsafeBufferPointer(rebasing: found.suffix(count)))
    }

    private mutating func headEnded() throws(AnswerFault) {
        let framing = try head.framing(lacksContent: lacksContent)
        if head.closes { closes = true }
        guard !head.isInterim else {
            interimCount += 1
            guard interimCount <= Limits.interimAnswersMax else { throw .tooManyInterim }
            answer.clearFields()
            head = AnswerHead()
            phase = .statusLine
            return
        }
        answer.status = head.status
        switch framing {
        case .none, .counted(0): end()
        case .counted(let bytes): phase = .counted(bytes)
        case .chunked: phase = .chunkSize
        case .untilClose:
            closes = true
            phase = .untilClose
        }
    }

    // MARK: Content

    /// Takes bytes of the body.
    /// - Returns: The number of missing bytes that are left; `nil` if the answer already has the
    ///   most bytes that it may have: its status stands, and the connection is closed.
    private mutating func takeBody(
        _ rest: inout UnsafeBufferPointer<UInt8>, _ missing: UInt64
    ) -> UInt64? {
        let room = bodyBytesMax - answer.bodyBytes
        guard room > 0 else {
            closes = true
            phase = .ended
            return nil
        }
        let count = Int(min(UInt64(rest.count), missing, room))
        unsafe answer.receive(body: UnsafeBufferPointer(rebasing: rest[..<count]))
        unsafe rest = UnsafeBufferPointer(rebasing: rest[count...])
        return missing - UInt64(count)
    }

    private mutating func receiveChunkSize(
        _ rest: inout UnsafeBufferPointer<UInt8>
    ) throws(AnswerFault) {
        let text = unsafe try line.next(
            &rest, limit: Limits.chunkLineBytes, excess: .longExtensions)
        guard let text = unsafe text else { return }
        let chunk = unsafe try ChunkLine(text)
        extensionBytes += chunk.extensionBytes
        guard extensionBytes <= Limits.chunkExtensionBytes else { throw .longExtensions }
        phase = chunk.size == 0 ? .trailers : .chunk(chunk.size)
    }
}
