internal import CSystem

/// The environment of this process.
package enum ProcessEnvironment {
    /// The names of the variables that have a value.
    package static var names: [String] {
        var names: [String] = []
        var place = unsafe system_environment()
        while let entry = unsafe place?.pointee {
            let parts = unsafe String(cString: entry).utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1)
            if parts.count == 2 { names.append(String(decoding: parts[0], as: UTF8.self)) }
            unsafe place = place?.successor()
        }
        return names
    }
}
