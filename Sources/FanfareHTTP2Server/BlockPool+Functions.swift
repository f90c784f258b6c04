internal import CNghttp2
internal import FanfareBase
import FanfareHTTP2

extension BlockPool {
    /// Returns the functions by which nghttp2 gets memory for one object; the pool must outlive it.
    static func functions(of pool: UnsafeMutableRawPointer) -> nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: pool,
            malloc: { size, pool in
                unsafe Pinned<BlockPool>.withValue(behind: pool) { unsafe $0.allocate(size) }
            },
            free: { block, pool in
                unsafe Pinned<BlockPool>.withValue(behind: pool) { unsafe $0.free(block) }
            },
            calloc: { count, size, pool in
                let (total, overflow) = count.multipliedReportingOverflow(by: size)
                guard !overflow else { return nil }
                return unsafe Pinned<BlockPool>.withValue(behind: pool) { pool in
                    guard let block = unsafe pool.allocate(total) else { return nil }
                    unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: total)
                    return unsafe block
                }
            },
            realloc: { block, size, pool in
                unsafe Pinned<BlockPool>.withValue(behind: pool) {
                    unsafe $0.resize(block, to: size)
                }
            })
    }
}
