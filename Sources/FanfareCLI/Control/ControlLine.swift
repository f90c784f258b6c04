import FanfareBase
import FanfareCore
import FanfareSystem

/// One request to the socket of a job, and its answer.
enum ControlLine {
    /// Sends a request, and waits for the answer.
    ///
    /// Another user may have bound a path where a job once listened: of that one no word is believed.
    /// - Returns: The answer without its line end; empty if there was none in time.
    /// - Throws: `FileError` if no process of this user listens there.
    static func exchange(
        _ request: ControlRequest, at path: String, patience: Duration = Limits.controlPatience
    ) throws(FileError) -> String {
        ProcessSignal.blockBrokenPipe()
        let deadline = MachineClock.now.advanced(by: patience)
        let socket = try LocalSocket.connect(to: path)
        try LocalSocket.checkOwner(of: socket)
        var text = ByteBuffer()
        text.append(request.line + "\n")
        unsafe try socket.writeAll(UnsafeRawBufferPointer(text.bytes))
        var answer = ByteBuffer(capacity: Limits.controlLineBytesMax)
        // One time for all of it: each byte may come just before a time of its own is over.
        while answer.count < Limits.controlLineBytesMax,
            socket.isReadable(within: Self.milliseconds(until: deadline))
        {
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

    private static func milliseconds(until deadline: Instant) -> Int32 {
        let now = MachineClock.now
        return deadline > now
            ? Int32(clamping: (deadline.nanoseconds(since: now) + 999_999) / 1_000_000) : 0
    }
}
