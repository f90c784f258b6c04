/// The identity of a worker: the random bits that its folder has from the day it was made.
///
/// A worker is a folder with a report and a checkpoint, and not a process and not a machine: grants belong to the
/// folder, whose lines and marks tell what came of them.
package struct WorkerID: Hashable, Comparable, Sendable {
    package let bits: UInt128

    package init(bits: UInt128) { self.bits = bits }

    package static func < (left: WorkerID, right: WorkerID) -> Bool { left.bits < right.bits }
}

/// The place at which a worker's folder is: digests of what a copy of the folder does not share.
///
/// The file's own identity is one of them, because a folder that is copied on one machine has the same host and
/// the same boot, and its copy has a lock of its own.
package struct ClusterPlace: Equatable, Sendable {
    /// The machine.
    package let host: UInt64
    /// The time for which the machine has been up: another one after each boot.
    package let boot: UInt64
    /// The checkpoint's file: device and inode.
    package let file: UInt64

    package init(host: UInt64, boot: UInt64, file: UInt64) {
        self.host = host
        self.boot = boot
        self.file = file
    }
}

/// The name of a range, which no two ranges of a job share, even if the engine forgets some of them.
///
/// A range that is cut from the input has the name of its first row; two cutters give it the same. A range that a
/// worker makes, by splitting one or giving rows back, has random bits that this worker draws. So a request can be
/// repeated, and a name that the engine has forgotten never comes to mean other rows.
package struct RangeKey: Hashable, Comparable, Sendable {
    package let bits: UInt64

    /// The name that was written down.
    package init(bits: UInt64) { self.bits = bits }

    /// The name of the range that is cut at a row.
    package static func cut(at row: UInt64) -> RangeKey { RangeKey(bits: row) }

    /// The name of a range that a worker makes.
    package static func drawn(_ bits: UInt64) -> RangeKey { RangeKey(bits: bits | 1 << 63) }

    package static func < (left: RangeKey, right: RangeKey) -> Bool { left.bits < right.bits }
}

/// The name of a grant: a range, and the epoch of an owner.
package struct GrantKey: Hashable, Sendable {
    package let range: RangeKey
    /// Random bits that the owner draws when it takes the range; only equality means anything.
    ///
    /// A count would not do: an engine that has gone back counts to the same number again, and two grants of
    /// different rows would have one name.
    package let epoch: UInt64

    package init(range: RangeKey, epoch: UInt64) {
        self.range = range
        self.epoch = epoch
    }
}

/// The stretch of the engine's history in which nothing that it acknowledged was lost.
///
/// A new one begins when the engine has gone back: another server has taken over without the last writes, or a copy
/// of yesterday was restored. Only equality means anything, because a number that the engine counts can go back,
/// too; the ordinal serves to tell which of two grants of one row is the newer one.
package struct ClusterGeneration: Equatable, Sendable {
    package let ordinal: Int
    /// The server's own count of its takeovers, as far as it has one.
    package let timeline: Int
    /// Random bits of the worker that noticed what the server did not say; 0 if the server did.
    package let nonce: UInt64

    package init(ordinal: Int, timeline: Int, nonce: UInt64) {
        self.ordinal = ordinal
        self.timeline = timeline
        self.nonce = nonce
    }
}
