internal import FanfareBase
import FanfareHTTP2
import Glibc

/// Memory for one session: free lists by size class, fed from slabs.
///
/// nghttp2 allocates about five blocks a request, always of the same few sizes, so a block that was
/// freed is nearly always the right one for the next request. Everything is given back with the
/// session. Every block is preceded by 16 bytes that hold its class and size: `free` is not told.
///
///     | class | size | (padding) | bytes … |
@safe
struct BlockPool: ~Copyable {
    private static let headerBytes = 16
    /// Classes 0 … 31 hold 16 … 512 bytes, classes 32 … 34 hold 1, 2 and 4 KiB.
    private static let smallClasses = 32
    private static let classCount = 35
    private static let largestClassBytes = 4096
    private static let largeMark = UInt32.max
    /// Before the header of a large block: the next and the previous one.
    private static let linkBytes = 16

    private let freeBlocks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The slabs as a list: each begins with the address of the one before.
    private var slab: UnsafeMutableRawPointer?
    private var fresh: UnsafeMutableRawPointer?
    private var freshBytes = 0
    /// The first of the large blocks, which come from the system one by one.
    private var large: UnsafeMutableRawPointer?
    private var hasRefused = false
    private let byteLimit: Int

    /// Blocks that are handed out at the moment.
    private(set) var liveBlocks = 0
    /// Bytes taken from the system and not yet given back.
    private(set) var heldBytes = 0
    /// The number of allocations until one is refused; for tests.
    var allocationsUntilFailure = Int.max

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
        unsafe freeBlocks = .allocate(capacity: Self.classCount)
        unsafe freeBlocks.initialize(repeating: nil, count: Self.classCount)
    }

    deinit {
        // nghttp2 1.52 loses a block or two of its own on some of its ways out of a failed
        // allocation. They die here with the rest.
        assert(liveBlocks == 0 || hasRefused, "BUG: a block outlives its session")
        var link = unsafe large
        while let current = unsafe link {
            unsafe link = current.load(as: UnsafeMutableRawPointer?.self)
            unsafe Glibc.free(current)
        }
        var next = unsafe slab
        while let current = unsafe next {
            unsafe next = current.load(as: UnsafeMutableRawPointer?.self)
            unsafe Glibc.free(current)
        }
        unsafe freeBlocks.deallocate()
    }

    private static func sizeClass(_ size: Int) -> Int {
        if size <= 512 { return max(0, ((size + 15) >> 4) - 1) }
        return size <= 1024 ? smallClasses : size <= 2048 ? smallClasses + 1 : smallClasses + 2
    }

    private static func bytes(inClass sizeClass: Int) -> Int {
        sizeClass < smallClasses ? (sizeClass + 1) << 4 : 1024 << (sizeClass - smallClasses)
    }

    mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        allocationsUntilFailure &-= 1
        if allocationsUntilFailure < 0 {
            hasRefused = true
            return nil
        }
        if size > Self.largestClassBytes { return unsafe allocateLarge(size) }
        let sizeClass = Self.sizeClass(size)
        if let block = unsafe freeBlocks[sizeClass] {
            // A free block's first bytes hold the address of the next free one.
            unsafe freeBlocks[sizeClass] = block.load(as: UnsafeMutableRawPointer?.self)
            liveBlocks &+= 1
            return unsafe block
        }
        return unsafe carve(sizeClass)
    }

    @inline(never)
    private mutating func carve(_ sizeClass: Int) -> UnsafeMutableRawPointer? {
        let size = Self.bytes(inClass: sizeClass)
        let total = size + Self.headerBytes
        if freshBytes < total {
            let slabBytes = Limits.sessionSlabBytes
            guard heldBytes + slabBytes <= byteLimit, let memory = unsafe malloc(slabBytes) else {
                hasRefused = true
                return nil
            }
            heldBytes += slabBytes
            unsafe memory.storeBytes(of: slab, as: UnsafeMutableRawPointer?.self)
            unsafe slab = memory
            unsafe fresh = memory + Self.headerBytes
            freshBytes = slabBytes - Self.headerBytes
        }
        guard let start = unsafe fresh else { return nil }
        unsafe fresh = start + total
        freshBytes -= total
        liveBlocks &+= 1
        unsafe start.storeBytes(of: UInt32(sizeClass), as: UInt32.self)
        unsafe start.storeBytes(of: size, toByteOffset: 8, as: Int.self)
        return unsafe start + Self.headerBytes
    }

    @inline(never)
    private mutating func allocateLarge(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size <= byteLimit, heldBytes + size <= byteLimit,
            let link = unsafe malloc(size + Self.linkBytes + Self.headerBytes)
        else {
            hasRefused = true
            return nil
        }
        heldBytes += size
        liveBlocks &+= 1
        unsafe Self.set(link, next: large, previous: nil)
        if let first = unsafe large {
            unsafe first.storeBytes(of: link, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
        unsafe large = link
        let start = unsafe link + Self.linkBytes
        unsafe start.storeBytes(of: Self.largeMark, as: UInt32.self)
        unsafe start.storeBytes(of: size, toByteOffset: 8, as: Int.self)
        return unsafe start + Self.headerBytes
    }

    private static func set(
        _ link: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer?,
        previous: UnsafeMutableRawPointer?
    ) {
        unsafe link.storeBytes(of: next, as: UnsafeMutableRawPointer?.self)
        unsafe link.storeBytes(of: previous, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
    }

    @inline(never)
    private mutating func freeLarge(_ start: UnsafeMutableRawPointer) {
        unsafe heldBytes -= start.load(fromByteOffset: 8, as: Int.self)
        let link = unsafe start - Self.linkBytes
        let next = unsafe link.load(as: UnsafeMutableRawPointer?.self)
        let previous = unsafe link.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        if let next = unsafe next {
            unsafe next.storeBytes(of: previous, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
        if let previous = unsafe previous {
            unsafe previous.storeBytes(of: next, as: UnsafeMutableRawPointer?.self)
        } else {
            unsafe large = next
        }
        unsafe Glibc.free(link)
    }

    mutating func free(_ block: UnsafeMutableRawPointer?) {
        guard let block = unsafe block else { return }
        liveBlocks &-= 1
        let start = unsafe block - Self.headerBytes
        let sizeClass = unsafe start.load(as: UInt32.self)
        if sizeClass == Self.largeMark {
            unsafe freeLarge(start)
            return
        }
        unsafe block.storeBytes(of: freeBlocks[Int(sizeClass)], as: UnsafeMutableRawPointer?.self)
        unsafe freeBlocks[Int(sizeClass)] = block
    }

    mutating func resize(
        _ block: UnsafeMutableRawPointer?, to size: Int
    ) -> UnsafeMutableRawPointer? {
        guard let block = unsafe block else { return unsafe allocate(size) }
        let held = unsafe (block - Self.headerBytes).load(fromByteOffset: 8, as: Int.self)
        if size <= held { return unsafe block }
        guard let larger = unsafe allocate(size) else { return nil }
        unsafe memcpy(larger, block, held)
        unsafe free(block)
        return unsafe larger
    }
}
