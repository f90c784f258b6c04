import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// A file of the machine that records are appended to.
typealias OutputFile = RecordFile<FileSystem>

extension RecordFile where Disk == FileSystem {
    /// Opens a file, as `SystemFile` does.
    /// - Parameters:
    ///   - path: The file; `-` is standard output.
    ///   - mayExist: Whether it may be there already.
    ///   - model: A path whose name says how it is compressed; `nil` for its own.
    ///   - split: How it is split by its size; only a file can be.
    /// - Throws: `FileError.Kind.exists` when it is there and may not be, and others.
    convenience init(
        _ path: String, mayExist: Bool, compressedAs model: String? = nil,
        split: OutputSplit? = nil
    ) throws(FileError) {
        self.init(
            try SystemFile(path, mayExist: mayExist), on: FileSystem(), compressedAs: model,
            split: split)
    }

    /// Whether a path is that of a device or a descriptor; memory that is shared by name has files.
    static func isDevice(_ path: String) -> Bool {
        path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
            || FileDescriptor.handedOver(path) != nil
    }

    /// How the file is compressed that a path names, if it is.
    static func compression(ofPath path: String) -> CompressionFormat? {
        path == "-" || isDevice(path) ? nil : CompressionFormat.split(path).format
    }

    /// What a file with this header begins with.
    static func beginning(_ header: [UInt8], _ compression: CompressionFormat?) -> [UInt8] {
        guard let compression else { return header }
        var compressor = Compressor(compression)
        var bytes = ByteBuffer(capacity: 512)
        unsafe header.withUnsafeBufferPointer { unsafe compressor.append($0, to: &bytes) }
        return unsafe Array(bytes.bytes)
    }
}
