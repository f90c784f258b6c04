internal import FanfareBase

/// The reason why compressed bytes cannot be read on.
package struct CompressionFault: Error, Equatable, Sendable {
    /// The kind of a fault.
    package enum Kind: Equatable, Sendable {
        /// They end before their content is whole.
        case truncated
        /// They contradict themselves; the library says how.
        case damaged(String)
        /// Something else follows them.
        case trailingGarbage
        /// Reading them would need more memory than `Limits.zstdWindowLogMax` allows.
        case windowTooLarge
    }

    package var kind: Kind
    package var format: CompressionFormat

    /// The fault, and the remedy where there is one.
    package var text: String {
        switch kind {
        case .truncated:
            "its \(format) data is cut off before the end"
        case .damaged(let how):
            "its \(format) data is damaged: \(how)"
        case .trailingGarbage:
            "behind its \(format) data there is something else"
        case .windowTooLarge:
            "its \(format) data needs a window of more than "
                + "\(1 << (Limits.zstdWindowLogMax - 20)) MiB: pipe what 'zstd -dc --long=31 FILE' "
                + "writes into the same command, with - for the file"
        }
    }
}

/// The result of one call with compressed bytes.
package struct DecodingStep: Equatable, Sendable {
    /// The compressed bytes that are done with.
    package var consumed = 0
    /// The bytes that came out of them.
    package var produced = 0
    /// True if the compressed bytes may end here.
    package var isWhole = false
    /// The consumed bytes up to the last end of a member or frame, if there was one.
    package var memberEnd: Int?
    /// The reason why it is the last call, if it is.
    ///
    /// The bytes that were produced are good all the same.
    package var fault: CompressionFault?
}
