import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The file with a line for each measured request of a load test.
///
/// No lane waits for it: requests that come while too many wait for the disk are dropped, and counted.
final class RequestFile: Sendable {
    /// One request that has ended.
    struct Record: Sendable {
        /// The step, from 1.
        var step: Int
        /// The moment when it went on the wire, in milliseconds of UNIX time.
        var sentMilliseconds: Int64
        /// Nanoseconds from then to its end.
        var service: Int64
        /// Nanoseconds from the time at which it was due to its end.
        var response: Int64
        /// The HTTP status; 0 without an answer.
        var status: UInt16
        /// The kind of its failure; `nil` for an answer.
        var failure: String?
    }

    private struct Block: Sendable {
        var records: [Record]
    }

    private let path: String
    private let file: FileDescriptor
    private let queue = Handoff<Block>(capacity: Limits.requestBlocksMax)
    private let written = Atomic<UInt64>(0)
    private let dropped = Atomic<UInt64>(0)
    private let fault = Mutex<String?>(nil)

    /// Opens the file in place of an older one; `-` is standard output.
    /// - Throws: `FanfareError` with code `output`.
    init(_ path: String) throws(FanfareError) {
        self.path = path
        do throws(FileError) {
            file =
                path == "-"
                ? .standardOutput : try .writing(path, existing: .truncate, isPublic: true)
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }

    /// Takes requests of a lane, or drops them.
    func submit(_ records: [Record]) {
        guard !records.isEmpty, let lost = queue.tryPush(Block(records: records)) else { return }
        dropped.add(UInt64(lost.records.count), ordering: .relaxed)
    }

    /// Starts the thread that writes; it ends after `close`.
    /// - Throws: `FanfareError` when the system has no room for the thread.
    func start() throws(FanfareError) -> WorkerThread {
        try told(\.jobError) { () throws(SystemError) in
            try WorkerThread(name: "requests") { [self] in run() }
        }
    }

    /// No more requests will come.
    func close() { queue.close() }

    /// The requests that are in the file, those that are not, and why; known when the thread has ended.
    var result: RecordedRequests {
        RecordedRequests(
            path: path, written: written.load(ordering: .relaxed),
            dropped: dropped.load(ordering: .relaxed), problem: fault.withLock { $0 })
    }

    // MARK: Writer

    /// Writes until `close`.
    func run() {
        var lines = ByteBuffer()
        var time = TimestampWriter()
        while let block = queue.pop() {
            lines.removeAll()
            for record in block.records { Self.append(record, &time, to: &lines) }
            write(lines, count: block.records.count)
        }
    }

    /// A file that cannot be written is not worth the test: later requests are left out.
    private func write(_ lines: borrowing ByteBuffer, count: Int) {
        guard fault.withLock({ $0 == nil }) else {
            dropped.add(UInt64(count), ordering: .relaxed)
            return
        }
        do throws(FileError) {
            unsafe try file.writeAll(UnsafeRawBufferPointer(lines.bytes))
            written.add(UInt64(count), ordering: .relaxed)
        } catch {
            fault.withLock { $0 = error.reason }
            dropped.add(UInt64(count), ordering: .relaxed)
        }
    }

    private static func append(
        _ record: Record, _ time: inout TimestampWriter, to lines: inout ByteBuffer
    ) {
        lines.append(#"{"step":"#)
        lines.append(decimal: UInt64(record.step))
        lines.append(#","sent_at":""#)
        time.append(milliseconds: record.sentMilliseconds, to: &lines)
        lines.append(#"","wait_ms":"#)
        append(nanoseconds: record.response - record.service, to: &lines)
        lines.append(#","service_ms":"#)
        append(nanoseconds: record.service, to: &lines)
        lines.append(#","response_ms":"#)
        append(nanoseconds: record.response, to: &lines)
        lines.append(#","status":"#)
        if record.status == 0 {
            lines.append("null")
        } else {
            lines.append(decimal: UInt64(record.status))
        }
        if let failure = record.failure {
            lines.append(#","failure":"#)
            lines.appendJSONString(failure)
        }
        lines.append("}\n")
    }

    /// Milliseconds with three digits behind the point.
    private static func append(nanoseconds: Int64, to lines: inout ByteBuffer) {
        let microseconds = UInt64(max(nanoseconds, 0) + 500) / 1000
        lines.append(decimal: microseconds / 1000)
        lines.append(UInt8(ascii: "."))
        for digit in [100, 10, 1] as [UInt64] {
            lines.append(UInt8(48 + microseconds / digit % 10))
        }
    }
}

extension Limits {
    /// The requests that a lane hands over at once.
    static let requestsPerBlock = 1024
    /// The blocks that may wait for the disk: with 1,024 requests of some 64 bytes each 16 MiB, or five seconds of
    /// 50,000 requests.
    static let requestBlocksMax = 256
}
