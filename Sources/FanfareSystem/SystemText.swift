/// Returns a C string that a function writes into a buffer.
///
/// The C library's and libuv's longest texts have about 60 bytes, an address with its interface at most as
/// many.
package func systemText(_ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        unsafe buffer.initialize(repeating: 0)
        guard let start = buffer.baseAddress else { return "" }
        unsafe fill(start, buffer.count)
        return unsafe String(cString: start)
    }
}
