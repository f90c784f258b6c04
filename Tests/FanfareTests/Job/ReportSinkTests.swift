import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// The report file and its writer, run on the test's own thread.
@Suite struct ReportSinkTests {
    private let control = JobControl()

    private func sink(
        _ path: String, _ kind: ReportFormat.Kind = .csv, overwrites: Bool = false
    ) throws -> ReportSink {
        let header = Array(ReportFormat(kind).header.utf8)
        let files = try OutputFiles(
            [OutputSpec(kind: .report, path: path, header: header)], overwrites: overwrites)
        return ReportSink(ReportJournal(files), lanes: 1, control: control)
    }

    private func submit(_ rows: ClosedRange<UInt64>, to sink: ReportSink, lineBytes: Int = 0) {
        let block = sink.emptyBlock()
        for row in rows {
            _ = block.append(row: row) {
                $0.append("line \(row)" + String(repeating: ".", count: lineBytes) + "\n")
            }
        }
        sink.submit(block)
    }

    @Test func `a report has its header and every block's lines in order`() throws {
        let folder = try TemporaryFolder()
        let sink = try sink(folder.path("r.csv"))
        let header = ReportFormat.columns.joined(separator: ",") + "\n"
        #expect(try folder.read("r.csv") == header)
        submit(1...2, to: sink)
        submit(3...3, to: sink)
        sink.close()
        sink.run()
        #expect(try folder.read("r.csv") == header + "line 1\nline 2\nline 3\n")
        #expect(sink.unreported.isEmpty)
        #expect(control.stop == nil)
    }

    @Test func `blocks are used again, empty`() throws {
        let folder = try TemporaryFolder()
        let sink = try sink(folder.path("r.ndjson"), .ndjson)
        submit(1...2, to: sink)
        sink.close()
        sink.run()
        let block = sink.emptyBlock()
        #expect(block.lines.count == 0 && block.rows.isEmpty)
        #expect(try folder.read("r.ndjson") == "line 1\nline 2\n")
    }

    @Test func `a writer that is behind is noticed`() throws {
        let folder = try TemporaryFolder()
        let sink = try sink(folder.path("r.csv"))
        for row in UInt64(1)...7 { submit(row...row, to: sink) }
        #expect(!sink.isBehind)
        submit(8...8, to: sink)
        #expect(sink.isBehind)
        sink.close()
        sink.run()
        #expect(!sink.isBehind)
    }

    @Test func `an existing report is kept unless it may be replaced`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("precious", to: "r.csv")
        let error = fanfareError { _ = try sink(path) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message == "\(path) exists already; ReportOptions.overwrites replaces it, "
                + "ReportOptions.path names another one")
        #expect(try folder.read("r.csv") == "precious")
        _ = try sink(path, overwrites: true)
        #expect(try folder.read("r.csv").hasPrefix("row,id,token,provider,"))
    }

    @Test func `a report that cannot be created is an error of output`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("none/r.csv")
        let error = fanfareError { _ = try sink(path) }
        #expect(error?.code == .output)
        #expect(error?.message == "\(path) cannot be created: no such file or directory")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `a full disk stops the job and names the rows that are lost`() throws {
        let sink = try sink("/dev/full", .ndjson, overwrites: true)
        submit(1...3, to: sink)
        submit(7...7, to: sink)
        submit(4...5, to: sink)
        sink.close()
        sink.run()
        #expect(control.stop?.kind == .inputOutput)
        #expect(
            control.stop?.message == "/dev/full cannot be written: no space left on device")
        #expect(sink.unreported.description == "1-5, 7")
        #expect(sink.unreported.count == 6)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `a disk that is full from the beginning is told before anything is sent`() throws {
        let error = fanfareError { _ = try sink("/dev/full", overwrites: true) }
        #expect(error?.code == .output)
        #expect(error?.message == "/dev/full cannot be written: no space left on device")
    }

    @Test func `a device is nothing to be overwritten`() throws {
        let sink = try sink("/dev/null")
        submit(1...3, to: sink)
        sink.close()
        sink.run()
        #expect(sink.unreported.isEmpty)
    }
}
