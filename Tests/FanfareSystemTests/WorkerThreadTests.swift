import FanfareSystem
import Glibc
import Testing

@Suite struct WorkerThreadTests {
    @Test func `a thread that the system has no room for is an error`() throws {
        let error = #expect(throws: SystemError.self) {
            // No machine has as many addresses.
            _ = try WorkerThread(name: "giant", stackBytes: 1 << 60) {}
        }
        #expect(error?.isShortage == true)
        #expect(error?.operation == "start the thread giant")
    }

    /// In a process of its own, which such a write would end.
    @Test func `a broken pipe is an error on its thread, and nothing to the process`() async {
        await #expect(processExitsWith: .success) {
            let thread = try WorkerThread(name: "writer") {
                var ends: [Int32] = [0, 0]
                precondition(pipe(&ends) == 0)
                close(ends[0])
                precondition(write(ends[1], "x", 1) == -1 && errno == EPIPE)
                close(ends[1])
            }
            thread.join()
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            // That is SIG_DFL.
            precondition(action.__sigaction_handler.sa_handler == nil)
        }
    }
}
