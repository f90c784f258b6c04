import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare control`: asks a running job for something.
enum ControlCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let path = arguments.positionals[0]
        var words = Array(arguments.positionals.dropFirst())
        if arguments[Options.Control.json] {
            guard words == ["status"] else {
                throw .usage(arguments.error("--json goes with status only"))
            }
            words.append("json")
        }
        let request: ControlRequest
        do throws(ControlRequest.Fault) {
            request = try ControlRequest(words: words)
        } catch {
            throw .usage(arguments.error(error.problem))
        }
        do throws(FanfareError) {
            Terminal.print(try ask(request, at: path) + "\n")
        } catch {
            throw .job(error)
        }
        return 0
    }

    private static func ask(
        _ request: ControlRequest, at path: String
    ) throws(FanfareError) -> String {
        let line: String
        do throws(FileError) {
            line = try exchange(request.line, at: path)
        } catch {
            switch error.kind {
            case .notFound:
                throw FanfareError(
                    .input, "there is no socket \(path); does a job run with --control \(path)?")
            case .connectionRefused where LocalSocket.identity(of: path) == nil:
                throw FanfareError(.input, "\(path) is no socket")
            case .connectionRefused:
                throw FanfareError(.input, "no job listens at \(path) any more")
            default:
                throw FanfareError(.input, "the job at \(path) cannot be asked: \(error.reason)")
            }
        }
        guard let answer = ControlAnswer(line: line) else {
            throw FanfareError(
                .input,
                line.isEmpty
                    ? "the job at \(path) has not answered in time, or has just ended"
                    : "what listens at \(path) is no job of fanfare")
        }
        guard !answer.isError else { throw FanfareError(.configuration, message: answer.text) }
        return answer.text
    }

    /// - Returns: The answer without its line end; nil if there was none.
    private static func exchange(_ line: String, at path: String) throws(FileError) -> String {
        ProcessSignal.blockBrokenPipe()
        let socket = try LocalSocket.connect(to: path)
        var request = ByteBuffer()
        request.append(line + "\n")
        unsafe try socket.writeAll(UnsafeRawBufferPointer(request.bytes))
        let patience = Limits.controlPatience.wholeNanoseconds / 1_000_000
        var answer = ByteBuffer(capacity: Limits.controlLineBytesMax)
        while answer.count < Limits.controlLineBytesMax,
            socket.isReadable(within: Int32(patience))
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
}
