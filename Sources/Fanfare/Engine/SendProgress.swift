/// The progress of a connection's outgoing frames, in bytes since its beginning.
///
/// ```
///  frames made │ taken out of the frame buffer, into TLS │ reached: whole records that were sent
/// ```
/// A record of which a byte is missing cannot be decrypted, so the peer has nothing of it. In the
/// clear every byte counts.
struct SendProgress {
    private struct Record {
        var ciphertext: Int
        var plaintext: Int
    }

    /// Bytes that have left the frame buffer.
    private(set) var taken = 0
    /// Bytes that may have reached the peer; none behind them has.
    private(set) var reached = 0

    /// Records that were made and not sent as a whole: a few, as a burst has.
    private var records: [Record] = []
    private var ciphertext = 0

    /// Bytes of frames have become a record.
    /// - Parameters:
    ///   - count: The bytes of frames.
    ///   - before: The ciphertext that waited before.
    ///   - after: The ciphertext that waits now.
    mutating func encrypted(_ count: Int, before: Int, after: Int) {
        // The bytes that TLS has sent on its own account come before it.
        if before > ciphertext { append(before - ciphertext, 0) }
        append(after - before, count)
        taken += count
    }

    private mutating func append(_ ciphertext: Int, _ plaintext: Int) {
        records.append(Record(ciphertext: ciphertext, plaintext: plaintext))
        self.ciphertext += ciphertext
    }

    /// The transport has taken bytes of records.
    mutating func sent(ciphertext count: Int) {
        var rest = min(count, ciphertext)
        ciphertext -= rest
        var whole = 0
        while whole < records.count, rest >= records[whole].ciphertext {
            rest -= records[whole].ciphertext
            reached += records[whole].plaintext
            whole += 1
        }
        if whole < records.count { records[whole].ciphertext -= rest }
        records.removeFirst(whole)
    }

    /// The transport has taken bytes of frames.
    mutating func sent(plaintext count: Int) {
        taken += count
        reached += count
    }
}
