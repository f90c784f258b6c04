import FanfareBase
import FanfareCore
import FanfareSystem

/// One request to the socket of a job, and its answer.
enum ControlLine {
    /// Sends a request, and waits for the answer.
    /// - Returns: The answer without its line end; empty if there was none in time.
    static func exchange(
        _ request: ControlRequest, at path: String, patience: Duration = Limits.controlPatience
    ) throws(FileError) -> String {
        ProcessSignal.blockBrokenPipe()
        let socket = try LocalSocket.connect(to: path)
        var text = ByteBuffer()
        text.append(request.line + "\n")
        unsafe try socket.writeAll(UnsafeRawBufferPointer(text.bytes))
        let milliseconds = Int32(patience.wholeNanoseconds / 1_000_000)
        var answer = ByteBuffer(capacity: Limits.controlLineBytesMax)
        while answer.count < Limits.controlLineBytesMax, socket.isReadable(within: milliseconds) {
            let room = Limits.controlLineBytesMax - answer.count
            let count = unsafe try socket.read(
                into: UnsafeMutableRawBufferPointer(start: answer.space(room), count: room))
            if count == 0 { return "" }
            answer.commit(count)
            if let end = unsafe answer.bytes.firstIndex(of: UInt8(ascii: "\n")) {
                return unsafe String(decoding: answer.bytes[..<end], as: UTF8.self)
            }
        }
        return ""
    }
}
