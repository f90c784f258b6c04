import FanfareBase

/// Bounds of checkpoint.
extension Limits {
    /// The groups of marks by which the marks grow at a time.
    ///
    /// 8,192 groups of 32 rows are 64 KiB for a quarter of a million rows, so that the disk gives
    /// room about once a second at full speed, and the marks take two or three times as much
    /// memory. With a check for each row they are 576 KiB.
    package static let checkpointStepGroups = 8192

    /// The rows to reserve ahead with `--durability full`: one wait for the disk in 65,536 rows.
    ///
    /// After a loss of power the rows that were reserved and not sent are in doubt too, so there
    /// are no more.
    package static let reservationRows: UInt64 = 65_536

    /// The bytes of a report that are read at a time for its checksum; another number makes other
    /// checksums.
    package static let checksumReadBytes = 256 * 1024
}
