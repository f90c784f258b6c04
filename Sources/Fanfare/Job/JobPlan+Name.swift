import FanfareBase

/// The name of a job and the remark about it.
extension JobPlan {
    /// Checks the words for people.
    /// - Throws: `FanfareError` with code `configuration`.
    static func checkWords(_ configuration: Configuration) throws(FanfareError) {
        try check(configuration.name, .jobName, bytesMax: Limits.jobNameBytesMax)
        try check(configuration.note, .jobNote, bytesMax: Limits.jobNoteBytesMax)
    }

    private static func check(
        _ text: String?, _ setting: Setting, bytesMax: Int
    ) throws(FanfareError) {
        guard let text, let fault = LabelText.fault(text, bytesMax: bytesMax) else { return }
        throw FanfareError(.configuration, "\(setting) \(fault)")
    }
}
