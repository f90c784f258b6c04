extension Limits {
    /// The largest file of options that is read.
    ///
    /// A hundred options with a payload of 5 KiB among them are some 20 KiB for each profile; more
    /// than this is another kind of file.
    package static let configurationBytesMax = 1024 * 1024
}
