import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// `fanfare control JOB watch`: shows a job once a second, until it ends.
enum ControlWatch {
    private static let interval = Duration.seconds(1)

    /// - Parameters:
    ///   - path: The job's socket.
    ///   - request: The question, which has the form of the answers.
    ///   - first: The first answer, which has shown that there is a job.
    /// - Throws: `FanfareError` if the system has no room for a loop.
    static func run(
        at path: String, _ request: ControlRequest, first: String
    ) throws(FanfareError) {
        let asJSON = request == .status(asJSON: true)
        let draws = !asJSON && Terminal.canRedraw
        func show(_ text: String) {
            if draws {
                let width = max(Terminal.columns - 1, 1)
                Terminal.showLive([String(text.prefix(width))])
            } else {
                Terminal.print(text + "\n")
            }
        }
        show(first)
        do throws(SystemError) {
            let loop = try EventLoop()
            let timer = LoopTimer(loop: loop)
            timer.onFire = { [unowned loop, unowned timer] in
                guard let line = try? ControlLine.exchange(request, at: path),
                    let answer = ControlAnswer(line: line), !answer.isError
                else { return loop.stop() }
                show(answer.text)
                timer.schedule(at: MachineClock.now.advanced(by: interval))
            }
            timer.schedule(at: MachineClock.now.advanced(by: interval))
            loop.run()
        } catch {
            throw error.jobError
        }
        if draws { Terminal.clearLive() }
        if !asJSON { Terminal.print("the job has ended\n") }
    }
}
