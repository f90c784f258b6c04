import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// A run that replaces a checkpoint's fingerprint, and ends at any byte of what it writes.
@Suite struct FingerprintCrashTests {
    private let texts = ["as it was", "mended for once, by and by", "mended twice"].map {
        Array($0.utf8)
    }
    private let marksOffset = 65_536

    /// A disk with the checkpoint of a job that has begun.
    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk(rows: 1)
        try prelude(of: texts[0]).write(texts[0], asSecond: false, on: disk)
        var log = CheckpointLog(behind: CheckpointRecord(), boot: disk.boot, isDurable: false)
        try log.begin(at: OutputLengths(), on: disk)
        return disk
    }

    private func prelude(of text: [UInt8]) -> CheckpointPrelude {
        CheckpointPrelude(text, layout: .marks, marksOffset: marksOffset)
    }

    /// The work of `JobOpening` until rows may be sent; ends where the disk has the process killed.
    private func replaceFingerprint(by text: [UInt8], on disk: SimulatedDisk) throws {
        var record = try #require(disk.record)
        let isSecond = !record.hasSecondFingerprint
        do throws(FileError) {
            try prelude(of: text).write(text, asSecond: isSecond, on: disk)
            record.hasSecondFingerprint = isSecond
            var log = CheckpointLog(behind: record, boot: disk.boot, isDurable: false)
            try log.begin(at: OutputLengths(), on: disk)
        } catch {
            #expect(disk.isKilled)
        }
    }

    /// The fingerprint that `OpenedCheckpoint` reads; `nil` if it is damaged.
    private func fingerprint(on disk: SimulatedDisk) throws -> [UInt8]? {
        let isSecond = try #require(disk.record).hasSecondFingerprint
        let bytes = disk.bytes(at: CheckpointLayout.preludeOffset(isSecond: isSecond))
        let prelude = try #require(CheckpointPrelude(bytes: bytes))
        let offset = CheckpointLayout.fingerprintOffset(
            isSecond: isSecond, marksOffset: marksOffset)
        let text = Array(disk.bytes(at: offset).prefix(prelude.fingerprintBytes))
        return prelude.layout(ofMarksBehind: text) == nil ? nil : text
    }

    /// The first run writes into the second place, the second one into the first.
    @Test(arguments: [1, 2], [false, true])
    func `one of the two fingerprints is whole, and the new one if rows may be sent`(
        run: Int, losesPower: Bool
    ) throws {
        var dice = Dice(seed: 1)
        let new = texts[run]
        // A unit for each byte, and for each time that the disk is waited for.
        let unitsOfAll =
            new.count + CheckpointPrelude.byteCount + 1 + CheckpointRecord.byteCount + 1
        for units in 0...unitsOfAll {
            let disk = try disk()
            for text in texts[1..<run] { try replaceFingerprint(by: text, on: disk) }
            disk.kill(after: units)
            try replaceFingerprint(by: new, on: disk)
            let isThrough = !disk.isKilled
            #expect(isThrough == (units == unitsOfAll))
            disk.revive()
            if losesPower { disk.losePower(&dice) }
            let found = try fingerprint(on: disk)
            if isThrough {
                #expect(found == new)
            } else {
                #expect(found == new || found == texts[run - 1], "killed after \(units) units")
            }
        }
    }
}
