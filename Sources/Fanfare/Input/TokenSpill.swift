import FanfareBase
import FanfareCore
import FanfareSystem

/// A token and its row.
struct RowToken {
    var digest: TokenDigest
    var row: UInt64
}

/// The tokens of any number of rows, divided by their digests into parts of which one at a time fits
/// into memory.
///
/// A part keeps a block of tokens in memory, and full blocks in a file: it comes into being with the
/// first one, can be read by its owner only, and has no name, so that nothing is left of it, also
/// if the process is killed.
@safe
final class TokenSpill {
    /// One part's place in memory and in the file.
    private struct Part {
        /// The tokens of its block in memory.
        var count = 0
        /// The places of its full blocks in the file, in order.
        var blocks: [Int] = []
    }

    private let blockTokens: Int
    private var blockBytes: Int { blockTokens * MemoryLayout<RowToken>.stride }
    /// The folder that the file is made in.
    private let folder: String
    private var parts = [Part](repeating: Part(), count: Limits.surveyParts)
    private let memory: UnsafeMutablePointer<RowToken>
    /// A block that is read back.
    private let scratch: UnsafeMutablePointer<RowToken>
    private var file: NamelessFile?

    /// - Parameters:
    ///   - folder: The folder for the file.
    ///   - blockTokens: The tokens of each part that are kept in memory.
    init(folder: String, blockTokens: Int = Limits.surveyBlockTokens) {
        self.folder = folder
        self.blockTokens = blockTokens
        unsafe memory = .allocate(capacity: Limits.surveyParts * blockTokens)
        unsafe scratch = .allocate(capacity: blockTokens)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe scratch.deallocate()
    }

    /// Adds a row's token.
    func append(_ token: RowToken) throws(FileError) {
        // Not by the high half, by which a set orders its slots.
        let part = Int(token.digest.low % UInt64(Limits.surveyParts))
        let block = unsafe memory + part * blockTokens
        unsafe (block + parts[part].count).initialize(to: token)
        parts[part].count += 1
        guard parts[part].count == blockTokens else { return }
        let file = try openFile()
        parts[part].blocks.append(
            unsafe try file.append(UnsafeRawBufferPointer(start: block, count: blockBytes)))
        parts[part].count = 0
    }

    private func openFile() throws(FileError) -> NamelessFile {
        if let file { return file }
        let new = try NamelessFile(folder: folder)
        file = new
        return new
    }

    /// Calls a closure with the tokens of a part, in the order in which they came, or backwards.
    func forEach(
        ofPart index: Int, backwards: Bool, _ body: (RowToken) throws(FanfareError) -> Void
    ) throws(FanfareError) {
        let part = parts[index]
        let inMemory = unsafe UnsafeBufferPointer(
            start: memory + index * blockTokens, count: part.count)
        if backwards { unsafe try Self.forEach(inMemory, backwards: true, body) }
        for offset in backwards ? part.blocks.reversed() : part.blocks {
            let block = unsafe try read(blockAt: offset)
            unsafe try Self.forEach(block, backwards: backwards, body)
        }
        if !backwards { unsafe try Self.forEach(inMemory, backwards: false, body) }
    }

    private static func forEach(
        _ tokens: UnsafeBufferPointer<RowToken>, backwards: Bool,
        _ body: (RowToken) throws(FanfareError) -> Void
    ) throws(FanfareError) {
        for step in 0..<tokens.count {
            try body(unsafe tokens[backwards ? tokens.count - 1 - step : step])
        }
    }

    private func read(blockAt offset: Int) throws(FanfareError) -> UnsafeBufferPointer<RowToken> {
        _ = try told(\.inputFileError) { () throws(FileError) in
            unsafe try file?.read(
                into: UnsafeMutableRawBufferPointer(start: scratch, count: blockBytes),
                at: offset)
        }
        return unsafe UnsafeBufferPointer(start: scratch, count: blockTokens)
    }
}
