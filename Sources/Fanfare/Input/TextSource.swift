import FanfareBase
import FanfareCore
import FanfareSystem

/// The text of one input in UTF-8, made from any encoding.
///
/// UTF-8 passes through; anything else is made into it a piece at a time, so that offsets, lines and
/// columns are those of the text.
final class TextSource {
    private let bytes: ByteSource
    /// The encoding that was named, if one was.
    private let encoding: TextEncoding?
    private var isEncodingKnown = false
    /// The converter to UTF-8; `nil` if the text is UTF-8.
    private var transcoder: Transcoder?
    /// True if the text may be a JSON array of rows.
    private let mayBeArray: Bool
    /// The converter of a JSON array into lines; `nil` if the text is none.
    private var array: JSONArrayLines?
    /// Bytes that are not decoded yet.
    private var pending = ByteBuffer(capacity: 16)
    /// Text that was not read yet.
    private var text = ByteBuffer(capacity: 16)
    /// True if all bytes were decoded, including half a character at the end.
    private var isFinished = false
    /// True if everything has been read.
    private(set) var isAtEnd = false
    /// The text that was read and not yet used: after a header, or the beginning of a row.
    var atHand = ByteBuffer(capacity: Limits.batchInputBytes)
    /// The failure that stopped the reading, once a reader has met it.
    var fault: ByteSource.Failure?

    init(_ bytes: ByteSource, encoding: TextEncoding?, mayBeArray: Bool = false) {
        self.bytes = bytes
        self.encoding = encoding
        self.mayBeArray = mayBeArray
    }

    /// Opens an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - spec: The settings for reading it.
    ///   - meter: Counts the bytes that are read.
    ///   - cancellation: Set when no more of it is wanted.
    /// - Throws: `FanfareError` with code `input`, or with code `configuration` about a query.
    convenience init(
        _ input: RowInput, _ spec: InputSpec, meter: InputMeter? = nil,
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(FanfareError) {
        let bytes = try told({ $0.inputError(input.name) }) { () throws(FileError) in
            try ByteSource(input, bytesMax: spec.bytesMax, meter: meter) {
                cancellation.isSet
            }
        }
        // The settings for text in files do not apply to rows that are values.
        let encoding = input.isSequence ? nil : spec.options.encoding?.textEncoding
        let isText = bytes.rows == nil && !input.isSequence
        self.init(
            bytes, encoding: bytes.rows == nil ? encoding : .utf8,
            mayBeArray: isText && spec.mayBeArray(input))
    }

    /// Opens a file at a place in it; it is not compressed, and in UTF-8.
    /// - Throws: `FanfareError` with code `input`.
    convenience init(
        _ input: RowInput, from offset: Int, cancellation: CancellationFlag,
        meter: InputMeter? = nil
    ) throws(FanfareError) {
        let bytes = try told({ $0.inputError(input.name) }) { () throws(FileError) in
            try ByteSource(input, from: offset, meter: meter) { cancellation.isSet }
        }
        self.init(bytes, encoding: .utf8)
        isEncodingKnown = true
    }

    var input: RowInput { bytes.input }

    /// True if the text is made of another encoding; known once something of it was read.
    var isConverted: Bool { transcoder != nil }

    /// True if the lines are made of a JSON array; known once something of it was read.
    var isArray: Bool { array != nil }

    /// True if nothing says what the encoding is, so that it is taken for UTF-8; known once something of
    /// it was read.
    var takesForUTF8: Bool { encoding == nil && transcoder == nil }

    /// The input's name in messages.
    var name: String { input.name }

    /// True if no more of it is wanted.
    var isCancelled: Bool { bytes.isCancelled }

    /// True if the input is compressed; known once something of it was read.
    var isCompressed: Bool { bytes.isCompressed }

    /// The rows of a database, if it reads one.
    var rows: SQLiteRows? { bytes.rows }

    /// True if a read would have to wait for the input's writer.
    var wouldWait: Bool {
        text.isEmpty && pending.isEmpty && !isAtEnd && array?.fault == nil && bytes.wouldWait
    }

    /// Reads the bytes that are there, and waits for the first one.
    /// - Returns: The number of bytes; 0 at the end.
    func read(
        into space: UnsafeMutableRawBufferPointer
    ) throws(ByteSource.Failure) -> Int {
        if !isEncodingKnown { try learnEncoding() }
        if transcoder == nil && array == nil && pending.isEmpty && text.isEmpty {
            let count = unsafe try bytes.read(into: space)
            isAtEnd = bytes.isAtEnd
            return count
        }
        while text.isEmpty && !isFinished && array?.fault == nil { try decode() }
        // The text before the fault goes first.
        if text.isEmpty, let fault = array?.fault {
            throw ByteSource.Failure(reason: Self.reason(of: fault), isLasting: true)
        }
        let count = min(text.count, space.count)
        unsafe space.copyBytes(from: text.bytes.prefix(count))
        text.removeFirst(count)
        if count == 0 { isAtEnd = true }
        return count
    }

    /// Reads until so many bytes are at hand, or the input is at its end.
    func read(toHand count: Int) throws(FanfareError) {
        while atHand.count < count && !isAtEnd {
            let space = Limits.headReadBytes
            do throws(ByteSource.Failure) {
                let read = unsafe try read(
                    into: UnsafeMutableRawBufferPointer(start: atHand.space(space), count: space))
                atHand.commit(read)
            } catch {
                fault = error
                throw FanfareError(.input, "\(name) cannot be read: \(error.reason)")
            }
        }
    }

    /// The first two bytes tell, where nothing else does.
    private func learnEncoding() throws(ByteSource.Failure) {
        while pending.count < 2 && !bytes.isAtEnd { try readPending() }
        isEncodingKnown = true
        let mark = unsafe TextEncoding(byteOrderMark: pending.bytes)
        switch encoding {
        case nil, .utf16: transcoder = Transcoder(mark ?? encoding ?? .utf8)
        case .some(let named): transcoder = Transcoder(named)
        }
        if mayBeArray { try learnForm() }
    }

    /// The first bytes that are not blank tell.
    private func learnForm() throws(ByteSource.Failure) {
        while true {
            switch unsafe JSONArrayLines.isArray(text.bytes) {
            case false: return
            case true:
                var lines = JSONArrayLines()
                var converted = ByteBuffer(capacity: max(text.count, 1))
                unsafe lines.convert(text.bytes, into: &converted)
                array = lines
                text = converted
                return
            case nil:
                guard !isFinished, text.count < Limits.rowBytesMax else { return }
                try decode()
            }
        }
    }

    private func decode() throws(ByteSource.Failure) {
        // The end may be known before it is read, by a caller that has asked whether there is more.
        if pending.isEmpty { try readPending() }
        isFinished = pending.isEmpty
        if array == nil {
            decodePending(into: &text)
        } else {
            var plain = ByteBuffer(capacity: max(pending.count, 1))
            decodePending(into: &plain)
            unsafe array?.convert(plain.bytes, into: &text)
            // A job that no longer wants the rest has not cut it off.
            if isFinished && !isCancelled { array?.finish() }
        }
        pending.removeAll()
    }

    private static func reason(of fault: JSONArrayLines.Fault) -> Statement {
        switch fault {
        case .isCutOff(let object):
            "its JSON array does not end: it is cut off at object \(object), or a quote or a bracket "
                + "is left open there"
        case .isFollowed(let line):
            "something else follows the end of its JSON array in line \(line); if it has several "
                + "arrays, jq -s add makes one of them"
        }
    }

    private func decodePending(into text: inout ByteBuffer) {
        if transcoder == nil {
            unsafe text.append(pending.bytes)
        } else {
            unsafe transcoder?.decode(pending.bytes, into: &text)
            if isFinished { transcoder?.finish(into: &text) }
        }
    }

    private func readPending() throws(ByteSource.Failure) {
        let count = Limits.headReadBytes
        let read = unsafe try bytes.read(
            into: UnsafeMutableRawBufferPointer(start: pending.space(count), count: count))
        pending.commit(read)
    }
}
