import FanfareCore
import FanfareLoop
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
        let marks = CheckpointFile.Layout.marksOffset(fingerprintBytes: opened.fingerprint.count)
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
            // What a hole in a file reads as.
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
        #expect(text.contains("--delivery at-least-once"))
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

        // What has marks has begun, also if its fingerprint, or its prelude, is damaged.
        let marks = [UInt8](repeating: 0, count: 2 * 65_536 - whole.count + 64)
        for place in [nil, title, title + 8, 12_288] {
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
