import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that were killed while their checkpoint was made, with a report that has no header to tell
/// whether they had begun.
@Suite struct UnfinishedCheckpointTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    private let name = "r.ndjson.checkpoint"
    private let titleEnd = 21
    /// The offset of the fingerprint.
    private let textStart = 12_288

    private func configurationOfNDJSON() throws -> Configuration {
        var configuration = try configuration()
        configuration.report.path = folder.path("r.ndjson")
        return configuration
    }

    /// A whole checkpoint without a record.
    private func madeCheckpoint() throws -> [UInt8] {
        do {
            var opened = try JobOpening.openCheckpoint(of: folder.path("r.ndjson"))
            try opened.begin(
                [UInt8](repeating: UInt8(ascii: "x"), count: 300), layout: .marks)
        }
        return try folder.bytes(name)
    }

    /// All that a kill can leave of a checkpoint that is being made, in the order of its making.
    private func unfinished(_ whole: [UInt8]) -> [[UInt8]] {
        let blank =
            Array(whole.prefix(titleEnd)) + [UInt8](repeating: 0, count: textStart - titleEnd)
        let text = Array(whole[textStart...])
        let unready = blank + text
        var states: [[UInt8]] = []
        for count in 0...titleEnd { states.append(Array(whole.prefix(count))) }
        // Room for the records, at once or in steps, and then the fingerprint.
        for count in [4096, 8192, textStart] { states.append(Array(blank.prefix(count))) }
        for count in [1, 2, 150, text.count - 1, text.count] {
            states.append(blank + Array(text.prefix(count)))
        }
        for count in 1...CheckpointPrelude.byteCount {
            let end = titleEnd + count
            states.append(Array(whole.prefix(end)) + Array(unready.dropFirst(end)))
        }
        return states
    }

    private func openAgain(
        _ configuration: Configuration, _ checkpoint: [UInt8]
    ) throws -> JobOpening {
        try folder.write("", to: "r.ndjson")
        try folder.write(checkpoint, to: name)
        return try JobOpening.open(resuming(configuration))
    }

    @Test func `a job that was killed at any byte of its checkpoint's making begins`() throws {
        let configuration = try configurationOfNDJSON()
        let states = unfinished(try madeCheckpoint())
        #expect(states.count == 22 + 3 + 5 + 32)
        for (number, state) in states.enumerated() {
            let opening = try openAgain(configuration, state)
            let isNew = opening.resumption == nil
            #expect(isNew, "state \(number)")
            #expect(
                opening.notices.map(\.description) == [
                    "the run before ended before it could send anything for "
                        + "\(folder.path("r.ndjson")), so the job begins"
                ])
            opening.journal.checkpoint?.letGo()
        }
    }

    @Test func `a job that was killed while its checkpoint was made sends all rows`() throws {
        let configuration = try configurationOfNDJSON()
        try folder.write(Array(try madeCheckpoint().prefix(titleEnd)), to: name)
        try folder.write("", to: "r.ndjson")
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        let lines = try folder.read("r.ndjson").split(separator: "\n")
        #expect(lines.count == 100)
        #expect(provider.stop().requests == 101)
    }

    /// With rows on the wire, and no line yet.
    @Test func `a checkpoint that was whole is damaged, and none that is half made`() throws {
        let configuration = try configurationOfNDJSON()
        do {
            let opening = try JobOpening.open(configuration)
            let checkpoint = try #require(opening.journal.checkpoint)
            try checkpoint.prepare(through: 100)
            for row in UInt64(1)...20 { checkpoint.marks.set(row) }
            checkpoint.letGo()
        }
        let whole = try folder.bytes(name)
        let marks = whole.count - 65_536
        // Behind the title is the length of the fingerprint, in two bytes.
        var damaged = [23, 30, 45, 53, 4096, 4200, 8192, 8296, textStart, textStart + 12, marks]
            .map { Array(whole.prefix($0)) }
        for zeros in [titleEnd..<textStart, titleEnd..<textStart + 5000, 4096..<textStart] {
            var bytes = whole
            bytes.replaceSubrange(zeros, with: [UInt8](repeating: 0, count: zeros.count))
            damaged.append(bytes)
        }
        for (number, bytes) in damaged.enumerated() {
            do {
                try openAgain(configuration, bytes).journal.checkpoint?.letGo()
                Issue.record("begun anew, or carried on, with damage \(number)")
            } catch let error as FanfareError {
                #expect(error.code == .configuration, "damage \(number)")
                #expect(error.message.contains("is damaged"), "damage \(number)")
            }
        }
        let opening = try openAgain(configuration, whole)
        let isCarriedOn = opening.resumption != nil
        #expect(isCarriedOn)
    }
}
