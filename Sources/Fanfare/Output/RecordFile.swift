import FanfareSystem

/// What records are appended to: a file, or what a simulation takes for one.
protocol RecordFile: AnyObject {
    /// What messages call it.
    var name: String { get }
    /// The bytes that were appended and are whole; those of a failed `append` do not count.
    var length: Int { get }
    /// The bytes behind `length`: what a failed `append` has written.
    var excess: Int { get throws(FileError) }

    /// Whether the records of a block are in it together or not at all.
    var isCompressed: Bool { get }

    /// Appends whole records: of a block all that was prepared, or none if it is compressed.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError)

    /// Cuts the file to a length, and goes on writing there.
    func cut(toLength length: Int) throws(FileError)
}
