import FanfareBase
import FanfareCore
import FanfareTestSupport

/// The folder of a worker: what is left of it when its process ends.
final class WorkerDisk {
    enum Line: Equatable {
        /// The content of an answer.
        case definite
        /// In doubt: of this worker's own.
        case unknown
        /// In doubt: of a worker that is lost.
        case lost
    }

    let number: Int
    var folder: ClusterFolder
    var place: ClusterPlace
    /// One bit for each row, set before it is sent.
    var marks: [Bool]
    var lines: [Line?]
    /// Rows whose lines a loss of power could still take.
    var unsynced: [Int] = []
    var lineCount: UInt64 = 0
    var flaw: ClusterPlan.Flaw
    /// True from a loss of power until a process has recovered from it.
    private var hasLostPower = false

    init(number: Int, worker: WorkerID, place: ClusterPlace, rows: Int, flaw: ClusterPlan.Flaw) {
        self.number = number
        folder = ClusterFolder(worker: worker)
        self.place = place
        marks = Array(repeating: false, count: rows)
        lines = Array(repeating: nil, count: rows)
        self.flaw = flaw
    }

    init(copy other: WorkerDisk, number: Int, place: ClusterPlace) {
        self.number = number
        folder = other.folder
        self.place = place
        marks = other.marks
        lines = other.lines
        lineCount = other.lineCount
        flaw = other.flaw
    }

    func write(_ line: Line, of row: Int) {
        lines[row] = line
        lineCount += 1
        unsynced.append(row)
    }

    /// The machine loses what the disk has not confirmed: the end of the report, and marks here and there.
    ///
    /// The memory of the folder is confirmed whenever it changes.
    func losePower(_ dice: inout Dice) {
        for row in unsynced.dropFirst(dice.number(0...unsynced.count)) {
            lines[row] = nil
            lineCount -= 1
        }
        unsynced = []
        for row in marks.indices where dice.chance(0.5) { marks[row] = false }
        hasLostPower = true
        place = ClusterPlace(host: place.host, boot: place.boot + 1, file: place.file)
    }
}

/// The recovery of a process that begins.
extension WorkerDisk {
    /// Marks what is in doubt after a loss of power: what the folder was granted, and has no line.
    /// - Returns: The number of these rows.
    func recover() -> Int {
        guard hasLostPower else { return 0 }
        hasLostPower = false
        let granted = folder.heldRows
        for row in marks.indices {
            marks[row] = lines[row] == nil && granted.contains(UInt64(row))
        }
        return marks.count(where: \.self)
    }
}

/// A process that works in a folder, with lanes that send rows to nowhere.
final class SimulatedWorker {
    /// Rows that a lane has: to be started, or to be started again.
    struct Row {
        var key: GrantKey
        var row: Int
        var notBefore: Instant
    }

    let number: Int
    let disk: WorkerDisk
    var member: ClusterMember
    /// The speed of its clock, and its time at the beginning.
    let clockSpeed: Double
    let clockStart: Int64
    let windowMax: Int

    var isAlive = true
    var frozenUntil: Instant?
    /// All threads of a process go on at once, and the one that talks to the engine may be the last one to get its turn.
    var threadUntil = Instant(nanoseconds: 0)
    /// The words of its thread to the lanes, which look at nothing else.
    let startsEnd = StartsEnd()
    var isHeld = false
    /// Rows that it may start after a stop before it looks at anything.
    var unchecked = 0
    var hand: [Row] = []
    var inFlight = 0
    /// The rows that lanes had of a grant and that have no line yet.
    var open: [GrantKey: RowIntervals] = [:]
    var handed: [GrantKey: UInt64] = [:]
    /// True if a process before this one has joined in its folder.
    let isReturn: Bool
    var hasStarted = false
    var syncedAt = Instant.distantPast
    var inDoubtHere: Set<Int> = []
    var savedFolderVersion = -1
    var wakeAt = Instant.distantFuture
    var turnAt = Instant.distantFuture
    /// Its outcomes, definite and in doubt, those of before the job went on, and how often it has.
    var outcomes: [UInt64] = [0, 0]
    private var pastOutcomes: [UInt64] = [0, 0]
    private var epoch: Int?
    var permits = 0.0
    var permitsAt: Instant?
    var ending: ClusterEnding?

    init(
        number: Int, disk: WorkerDisk, member: ClusterMember, clockSpeed: Double,
        clockStart: Int64, windowMax: Int
    ) {
        self.number = number
        self.disk = disk
        isReturn = disk.folder.session > 0
        self.member = member
        self.clockSpeed = clockSpeed
        self.clockStart = clockStart
        self.windowMax = windowMax
    }

    /// Counts anew if the job has gone on after a stop.
    func noteEpoch() {
        let present = member.outcomeEpoch
        if epoch != nil && present != epoch { pastOutcomes = outcomes }
        epoch = present
    }

    func tellCounts() {
        member.counted(
            ClusterCounts(
                lines: disk.lineCount, outcomes: zip(outcomes, pastOutcomes).map { $0 - $1 }),
            inEpoch: epoch)
    }

    /// Does what the thread of a worker tells its lanes after each step.
    func obey(_ now: Instant) {
        if let ends = member.patienceEnds(now: now) { _ = startsEnd.move(to: ends, now: now) }
        isHeld = !member.mayStart(now: now)
    }

    func local(_ now: Instant) -> Instant {
        Instant(nanoseconds: clockStart + Int64(Double(now.nanoseconds) * clockSpeed))
    }

    /// The world's time at which the own clock shows a moment; a little later, because of rounding.
    func world(_ moment: Instant) -> Instant {
        if moment == .distantFuture { return moment }
        return Instant(
            nanoseconds: Int64(Double(moment.nanoseconds - clockStart) / clockSpeed) + 1000)
    }

    /// Takes a permit out of the bucket of the worker's share.
    func takePermit(_ now: Instant) -> Bool {
        guard let pace = member.pace else { return true }
        let perSecond = Double(pace) / Double(ShareRule.unitsPerStart)
        let burst = 1 + perSecond * 0.02
        if let permitsAt {
            permits += perSecond * Double(now.nanoseconds - permitsAt.nanoseconds) / 1e9
        } else {
            permits = 1
        }
        permitsAt = now
        permits = min(permits, burst)
        guard permits >= 1 else { return false }
        permits -= 1
        return true
    }
}
