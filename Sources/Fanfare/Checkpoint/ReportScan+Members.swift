import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// Where a compressed file is whole, as far as that is not known otherwise.
extension ReportScan {
    /// Finds the end of the last member or frame that is whole, with none before it that is not.
    /// - Parameters:
    ///   - input: The report, or a file beside it.
    ///   - format: How it is compressed.
    ///   - bytesMax: How much of it is looked at.
    /// - Returns: The bytes up to there.
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
