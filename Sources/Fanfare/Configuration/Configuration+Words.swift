import FanfareBase

/// The name of a job and the remark about it.
extension Configuration {
    /// Returns the same configuration, whose words for people are fit to be shown.
    /// - Throws: `FanfareError` with code `configuration`.
    func withCheckedWords() throws(FanfareError) -> Configuration {
        try Self.check(name, .jobName, bytesMax: Limits.jobNameBytesMax)
        try Self.check(note, .jobNote, bytesMax: Limits.jobNoteBytesMax)
        return self
    }

    private static func check(
        _ text: String?, _ setting: Setting, bytesMax: Int
    ) throws(FanfareError) {
        guard let text, let fault = LabelText.fault(text, bytesMax: bytesMax) else { return }
        throw FanfareError(.configuration, "\(setting) \(fault)")
    }
}
