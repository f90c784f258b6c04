import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Checkpoints that a disk, or an editor, has damaged: nothing is sent again because of it.
@Suite struct DamagedCheckpointTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    private let name = "r.csv.checkpoint"

    /// A job whose process was killed while row 60 was on the wire, and the checkpoint's bytes.
    private func killedJob() throws -> (configuration: Configuration, bytes: [UInt8], marks: Int) {
        let configuration = try stoppedJob()
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let found = opened.record
        let record = try #require(found)
        let marks = CheckpointLayout.marksOffset(fingerprintBytes: opened.fingerprint.count)
        do {
            let checkpoint = try CheckpointFile(opened, record: record, isDurable: false)
            try checkpoint.grow(from: record.covered, to: record.covered)
            checkpoint.marks.set(60)
        }
        return (configuration, try folder.bytes(name), marks)
    }

    private func expectRefusal(_ configuration: Configuration, _ damage: String) {
        guard let (code, text) = message(resuming(configuration)) else {
            Issue.record("carried on with: \(damage)")
            return
        }
        #expect(code == .configuration, "\(damage)")
        #expect(text.contains("is damaged"), "\(damage): \(text)")
    }

    @Test func `a checkpoint that is cut anywhere in its marks is refused`() throws {
        let (configuration, bytes, marks) = try killedJob()
        #expect(bytes.count == marks + 65_536)
        let far = stride(from: marks + 64, to: bytes.count, by: 4093)
        for length in Array(marks...marks + 64) + Array(far) + [bytes.count - 1] {
            try folder.write(Array(bytes.prefix(length)), to: name)
            expectRefusal(configuration, "\(length) bytes")
            // A hole in a file reads as zeros.
            let holed = bytes.prefix(length) + Array(repeating: 0, count: bytes.count - length)
            try folder.write(Array(holed), to: name)
            expectRefusal(configuration, "zeros from \(length) on")
        }
        try folder.write(bytes, to: name)
        #expect(message(resuming(configuration)) == nil)
    }

    @Test func `a single bit turned in the marks of rows in use is refused`() throws {
        let (configuration, bytes, marks) = try killedJob()
        // Rows 0 to 127, of which 100 are there.
        for bit in 0..<4 * 64 {
            var damaged = bytes
            damaged[marks + bit / 8] ^= 1 << UInt8(bit % 8)
            try folder.write(damaged, to: name)
            expectRefusal(configuration, "bit \(bit)")
        }
    }

    @Test func `a block of zeros in the marks is refused, and the rows are named`() throws {
        let (configuration, bytes, marks) = try killedJob()
        var damaged = bytes
        damaged.replaceSubrange(marks + 8..<marks + 72, with: Array(repeating: 0, count: 64))
        try folder.write(damaged, to: name)
        let (_, text) = try #require(message(resuming(configuration)))
        #expect(text.contains("which of rows 32 to 63 were sent"))
        #expect(text.contains("EngineOptions.delivery = .atLeastOnce"))
    }

    @Test func `rows may be sent again after damage if they may be sent twice`() throws {
        var (configuration, bytes, marks) = try killedJob()
        bytes[marks + 7] ^= 8
        try folder.write(bytes, to: name)
        configuration.engine.delivery = .atLeastOnce
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(try folder.reportLines("r.csv").count == 100)
        #expect(provider.stop().requests == 51 + 50)
    }

    // MARK: Before the first answer

    private let onTheWire: ClosedRange<UInt64> = 1...20

    /// A job whose process was killed when rows were on the wire and none had an answer: the report has its
    /// header, and the older of the two records knows of no marks.
    private func unansweredJob() throws -> (
        configuration: Configuration, checkpoint: [UInt8], report: [UInt8]
    ) {
        let configuration = try configuration()
        let opening = try JobOpening.open(configuration)
        let checkpoint = try #require(opening.journal.checkpoint)
        try checkpoint.prepare(through: 100)
        for row in onTheWire { checkpoint.marks.set(row) }
        checkpoint.letGo()
        return (configuration, try folder.bytes(name), try folder.bytes("r.csv"))
    }

    /// Expects that the job is refused, or goes on with all in doubt that was on the wire.
    private func expectNoneTwice(_ configuration: Configuration, _ damage: String) {
        do throws(FanfareError) {
            let opening = try JobOpening.open(resuming(configuration))
            guard opening.resumption != nil, let checkpoint = opening.journal.checkpoint else {
                Issue.record("begun anew with: \(damage)")
                return
            }
            guard let last = checkpoint.lastMarkedRow, last >= onTheWire.upperBound else {
                Issue.record("marks are forgotten with: \(damage)")
                return
            }
            for row in onTheWire where !checkpoint.marks.isSet(row) {
                Issue.record("row \(row) is sent again with: \(damage)")
            }
            checkpoint.letGo()
        } catch {
            #expect(error.code == .configuration || error.code == .output, "\(damage)")
        }
    }

    @Test func `a checkpoint cut before the first answer has nothing sent again`() throws {
        let (configuration, bytes, report) = try unansweredJob()
        let marks = bytes.count - 65_536
        let near = [0, 21, 45, 4096, 4200, 8192, 8296, 12_288, 12_300, marks, bytes.count]
        for length in near.flatMap({ [$0 - 1, $0, $0 + 1] }) + [10, 30, 50, 20_000, marks + 8]
        where bytes.indices.contains(length) {
            try folder.write(Array(bytes.prefix(length)), to: name)
            try folder.write(report, to: "r.csv")
            expectNoneTwice(configuration, "\(length) bytes")
            #expect(try folder.bytes("r.csv") == report, "\(length) bytes")
        }
        try folder.write(bytes, to: name)
        #expect(message(resuming(configuration)) == nil)
    }

    @Test func `a bit turned before the first answer has nothing sent again`() throws {
        let (configuration, bytes, report) = try unansweredJob()
        let marks = bytes.count - 65_536
        let places =
            Array(0..<54) + Array(4096..<4201) + Array(8192..<8297) + Array(12_288..<12_300)
            + Array(marks..<marks + 16)
        for place in places {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            try folder.write(damaged, to: name)
            try folder.write(report, to: "r.csv")
            expectNoneTwice(configuration, "a bit of byte \(place)")
        }
    }

    @Test func `a block of zeros before the first answer has nothing sent again`() throws {
        let (configuration, bytes, report) = try unansweredJob()
        for block in [512, 4096, 8192] {
            for start in stride(from: 0, to: bytes.count - 65_536 + block, by: block) {
                var damaged = bytes
                let end = min(start + block, bytes.count)
                damaged.replaceSubrange(
                    start..<end, with: [UInt8](repeating: 0, count: end - start))
                try folder.write(damaged, to: name)
                try folder.write(report, to: "r.csv")
                expectNoneTwice(configuration, "zeros in bytes \(start) to \(end)")
            }
        }
    }

    @Test func `the newest record lost is refused, unless rows may be sent twice`() throws {
        var (configuration, bytes, _) = try unansweredJob()
        // In the lowest byte of its number.
        bytes[CheckpointLayout.slotOffsets[0]] ^= 4
        try folder.write(bytes, to: name)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("is damaged, and what it said last is lost"))
        configuration.engine.delivery = .atLeastOnce
        #expect(message(resuming(configuration)) == nil)
    }

    /// Room is made for marks before a record tells of them.
    @Test func `a job killed between its marks and their record goes on`() throws {
        let configuration = try configuration()
        let opening = try JobOpening.open(configuration)
        opening.letGo()
        let begun = try folder.bytes(name)
        let end = CheckpointLayout.marksOffset(fingerprintBytes: 1)
        let hole = [UInt8](repeating: 0, count: end - begun.count)
        let new = [[UInt8]](repeating: MarkLayout.marks.newGroup, count: 512).flatMap { $0 }
        for marks in [[], new, new + [UInt8](repeating: 0, count: 61_440)] {
            try folder.write(begun + hole + marks, to: name)
            #expect(message(resuming(configuration)) == nil, "\(marks.count) bytes of marks")
        }
    }

    @Test func `a job killed while its checkpoint was made begins`() throws {
        let configuration = try configuration()
        do {
            var opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
            try opened.begin(Array("{}".utf8), layout: .marks)
        }
        let whole = try folder.bytes(name)
        let unready: [UInt8] = whole.enumerated().map { 21..<4096 ~= $0.offset ? 0 : $0.element }
        for bytes in [[], Array(whole.prefix(21)), Array(unready.prefix(12_288)), unready, whole] {
            // The report is opened first, and gets its header last.
            for report in [nil, ""] as [String?] {
                try? FileDescriptor.remove(folder.path("r.csv"))
                if let report { try folder.write(report, to: "r.csv") }
                try folder.write(bytes, to: name)
                #expect(message(resuming(configuration)) == nil, "\(bytes.count) bytes")
            }
        }
    }

    // MARK: What is no checkpoint

    @Test func `a link in the checkpoint's place is refused, and what it leads to stays`() throws {
        let victim = try folder.write("precious", to: "victim")
        try folder.link("r.csv.checkpoint", to: victim)
        let (code, text) = try #require(message(try configuration()))
        #expect(code == .output)
        #expect(text.contains("r.csv.checkpoint cannot be used: it is a symbolic link"))
        #expect(try folder.read("victim") == "precious")
    }

    @Test func `a file of another program in the checkpoint's place is refused, and stays`() throws
    {
        try folder.write("precious and long enough to be anything", to: name)
        var configuration = try configuration()
        configuration.report.overwrites = true
        let (code, text) = try #require(message(configuration))
        #expect(code == .output)
        #expect(text.contains("it is no checkpoint of Fanfare"))
        #expect(try folder.read(name) == "precious and long enough to be anything")
    }

    @Test func `a checkpoint with a second name is refused`() throws {
        let victim = try folder.write("fanfare checkpoint 2\n", to: "victim")
        try folder.hardLink(name, to: victim)
        let (_, text) = try #require(message(try configuration()))
        #expect(text.contains("a second name"))
        #expect(try folder.read("victim") == "fanfare checkpoint 2\n")
    }

    @Test func `another version's checkpoint is told as that`() throws {
        let configuration = try stoppedJob()
        var bytes = try folder.bytes(name)
        bytes[19] = UInt8(ascii: "1")
        try folder.write(bytes, to: name)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("another version of Fanfare"))
    }

    /// The names of very many inputs take more room than is before the marks otherwise.
    @Test func `a job of many inputs that was killed before its first record never began`() throws {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        do {
            var opened = try JobOpening.openCheckpoint(of: folder.path("many"))
            try opened.begin(text, layout: .marks)
        }
        let whole = try folder.bytes("many.checkpoint")
        #expect(try hasBegun() == false)

        // Killed while it was made: the fingerprint, or a part of it, and no prelude yet.
        let title = whole.prefix { $0 != UInt8(ascii: "\n") }.count + 1
        let isTitle = whole.indices.map { $0 < title || $0 >= 4096 }
        let unready = zip(whole, isTitle).map { $1 ? $0 : 0 }
        for length in [title, 12_300, 66_000, unready.count] {
            try folder.write(Array(unready.prefix(length)), to: "many.checkpoint")
            #expect(try hasBegun() == false, "\(length) bytes")
        }

        // The machine was switched off, and not all of it was on the disk.
        let holed = whole.prefix(12_288) + [UInt8](repeating: 0, count: whole.count - 12_288)
        try folder.write(Array(holed), to: "many.checkpoint")
        #expect(try hasBegun() == false)

        // A checkpoint with marks has begun, also if its fingerprint, or its prelude, is damaged.
        let marks = [UInt8](repeating: 0, count: 2 * 65_536 - whole.count + 64)
        for place in [nil, title, title + 8, title + 24, 12_288] {
            var damaged = whole + marks
            if let place { damaged[place] ^= 1 }
            try folder.write(damaged, to: "many.checkpoint")
            #expect(try hasBegun(), "damage at \(place ?? -1)")
        }
    }

    private func hasBegun() throws -> Bool {
        let opened = try JobOpening.openCheckpoint(of: folder.path("many"))
        return opened.hasBegun
    }
}
