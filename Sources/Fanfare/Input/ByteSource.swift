import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// The text of one input: its bytes, decompressed if they are compressed.
///
/// The first bytes tell whether they are; the input's name does not.
final class ByteSource {
    /// The reason why an input cannot be read, in words for a message.
    struct Failure: Error, Equatable {
        var reason: Statement
        /// True if the compressed input ends before it is whole: the text that came out of it is
        /// right.
        var isCutOff = false
        /// True if the content is the cause, so that another try would end in the same way.
        var isLasting = false
    }

    let input: RowInput
    /// True if everything has been read.
    private(set) var isAtEnd = false
    private let raw: RawInput
    /// The bytes that were read to learn the format, and later those not yet decompressed.
    private var pending = ByteBuffer(capacity: 16)
    private var isFormatKnown = false
    private var decompressor: Decompressor?
    /// Text that came out while the caller asked whether there was any.
    private var early = ByteBuffer(capacity: 16)
    /// The failure that stopped the reading, thrown when the text before it has been handed out.
    private var failure: Failure?

    /// Opens an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - offset: The place in a file to begin at, which is not compressed; `nil` for its beginning.
    ///   - bytesMax: The most bytes to read, before decompression.
    ///   - meter: Counts the bytes that are read.
    ///   - isCancelled: Called while a pipe or a terminal gives nothing; if it returns true, that
    ///     counts as the input's end.
    /// - Throws: `FileError` if it cannot be opened.
    init(
        _ input: RowInput, from offset: Int? = nil, bytesMax: Int = .max,
        meter: InputMeter? = nil,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(FileError) {
        self.input = input
        raw = try RawInput(
            input, from: offset, bytesMax: bytesMax, meter: meter, isCancelled: isCancelled)
        isFormatKnown = offset != nil
    }

    /// True if the input is compressed; known once something of it was read.
    var isCompressed: Bool { decompressor != nil }

    /// True if the job wants no more of it.
    var isCancelled: Bool { raw.isCancelled() }

    /// The rows of a database, if it reads one.
    var rows: SQLiteRows? { raw.rows }

    /// True if a read would have to wait for the input's writer.
    ///
    /// Compressed bytes may be too few for any text, so a read tries them.
    var wouldWait: Bool {
        guard raw.mayWait, !isAtEnd, failure == nil, early.isEmpty else { return false }
        if isFormatKnown && decompressor == nil && pending.isEmpty { return raw.wouldWait }
        do throws(Failure) {
            let count = Limits.compressedReadBytes
            let space = unsafe UnsafeMutableRawBufferPointer(
                start: early.space(count), count: count)
            guard let read = unsafe try next(into: space, waits: false) else { return true }
            early.commit(read)
        } catch {
            failure = error
        }
        return false
    }

    /// Reads the bytes that are there, and waits for the first one.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        if !early.isEmpty { return unsafe Self.take(from: &early, into: space) }
        guard let count = unsafe try next(into: space, waits: true) else {
            preconditionFailure("BUG: a read that may wait has not waited")
        }
        return count
    }

    // MARK: Pieces

    /// - Returns: The number of bytes, 0 at the end; nil if it would have to wait and may not.
    private func next(
        into space: UnsafeMutableRawBufferPointer, waits: Bool
    ) throws(Failure) -> Int? {
        guard try learnFormat(waits: waits) else { return nil }
        while !isAtEnd {
            if let failure { throw failure }
            if decompressor != nil {
                let count = unsafe decode(into: space)
                if count > 0 { return count }
                if failure != nil { continue }
                if raw.isAtEnd || raw.isCancelled() { break }
                guard try readPending(waits: waits) else { return nil }
            } else if !pending.isEmpty {
                return unsafe Self.take(from: &pending, into: space)
            } else {
                if !waits && raw.wouldWait { return nil }
                let count = unsafe try read(raw, into: space)
                if count > 0 { return count }
                break
            }
        }
        isAtEnd = true
        return 0
    }

    /// - Returns: False if it would have to wait and may not.
    private func learnFormat(waits: Bool) throws(Failure) -> Bool {
        guard !isFormatKnown else { return true }
        while pending.count < CompressionFormat.headBytes && !raw.isAtEnd {
            guard try readPending(waits: waits) else { return false }
        }
        isFormatKnown = true
        if let format = unsafe CompressionFormat(head: pending.bytes) {
            decompressor = Decompressor(format)
        }
        return true
    }

    /// - Returns: False if it would have to wait and may not.
    private func readPending(waits: Bool) throws(Failure) -> Bool {
        if !waits && raw.wouldWait { return false }
        let count = Limits.compressedReadBytes
        let space = unsafe UnsafeMutableRawBufferPointer(start: pending.space(count), count: count)
        pending.commit(unsafe try read(raw, into: space))
        return true
    }

    private func decode(into space: UnsafeMutableRawBufferPointer) -> Int {
        guard let step = unsafe decompressor?.decode(pending.bytes, into: space) else { return 0 }
        pending.removeFirst(step.consumed)
        var fault = step.fault
        // A job that no longer wants the rest has not cut it off.
        if fault == nil, step.produced == 0, raw.isAtEnd, !raw.isCancelled() {
            fault = decompressor?.faultAtEnd
        }
        if let fault {
            failure = Failure(
                reason: Statement(fault.text), isCutOff: fault.kind == .truncated, isLasting: true)
        }
        return step.produced
    }

    private func read(
        _ raw: RawInput, into space: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> Int {
        do throws(FileError) {
            return unsafe try raw.read(into: space)
        } catch {
            throw Failure(
                reason: error.inputReason, isLasting: raw.rows?.hasLastingFault ?? false)
        }
    }

    private static func take(
        from buffer: inout ByteBuffer, into space: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = min(buffer.count, space.count)
        unsafe space.copyBytes(from: buffer.bytes.prefix(count))
        buffer.removeFirst(count)
        return count
    }
}
