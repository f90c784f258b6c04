import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// The search for the whole part of a compressed file, when nothing else tells it.
extension ReportScan {
    /// Finds the end of the last whole member or frame that has only whole ones before it.
    /// - Parameters:
    ///   - input: The report, or a file beside it.
    ///   - format: The compression.
    ///   - bytesMax: The most bytes to read.
    /// - Returns: The number of bytes up to there.
    /// - Throws: `FanfareError.Code.input` when it cannot be read.
    static func wholeMembers(
        of input: RowInput, _ format: CompressionFormat, within bytesMax: Int
    ) throws(FanfareError) -> Int {
        var decompressor = Decompressor(format)
        var pending = ByteBuffer(capacity: Limits.compressedReadBytes)
        var text = ByteBuffer(capacity: Limits.batchInputBytes)
        var (consumed, whole) = (0, 0)
        do throws(FileError) {
            let raw = try RawInput(input, bytesMax: bytesMax) { false }
            while true {
                let space = unsafe UnsafeMutableRawBufferPointer(
                    start: text.space(Limits.batchInputBytes), count: Limits.batchInputBytes)
                let step = unsafe decompressor.decode(pending.bytes, into: space)
                if let end = step.memberEnd { whole = consumed + end }
                consumed += step.consumed
                pending.removeFirst(step.consumed)
                if step.fault != nil { return whole }
                if step.produced > 0 { continue }
                if raw.isAtEnd { return whole }
                let count = Limits.compressedReadBytes
                let more = unsafe UnsafeMutableRawBufferPointer(
                    start: pending.space(count), count: count)
                pending.commit(unsafe try raw.read(into: more))
            }
        } catch {
            throw FanfareError(.input, "\(input.name) cannot be read: \(error.reason)")
        }
    }
}
