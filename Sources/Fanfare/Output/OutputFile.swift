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
    ///   - mayExist: True if the file may exist.
    ///   - model: A path whose name gives the compression; `nil` for the file's own path.
    ///   - split: The way the file is split by its size; only a file can be.
    /// - Throws: `FileError.Kind.exists` when the file exists and may not, and other kinds.
    convenience init(
        _ path: String, mayExist: Bool, compressedAs model: String? = nil,
        split: OutputSplit? = nil
    ) throws(FileError) {
        self.init(
            try SystemFile(path, mayExist: mayExist), on: FileSystem(), compressedAs: model,
            split: split)
    }

    /// True if a path is that of a device or a descriptor; memory that is shared by name has files.
    static func isDevice(_ path: String) -> Bool {
        path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
            || FileDescriptor.handedOver(path) != nil
    }

    /// Returns the compression that a path's name gives, if any.
    static func compression(ofPath path: String) -> CompressionFormat? {
        path == "-" || isDevice(path) ? nil : CompressionFormat.split(path).format
    }

    /// Returns the first bytes of a file with this header.
    static func beginning(_ header: [UInt8], _ compression: CompressionFormat?) -> [UInt8] {
        guard let compression else { return header }
        var compressor = Compressor(compression)
        var bytes = ByteBuffer(capacity: 512)
        unsafe header.withUnsafeBufferPointer { unsafe compressor.append($0, to: &bytes) }
        return unsafe Array(bytes.bytes)
    }
}
