import FanfareBase

extension JobFingerprint {
    /// The part of the fingerprint that all workers of a job have: without identity and times, and without the files that
    /// each worker writes for itself.
    var ofAllWorkers: JobFingerprint {
        var shared = self
        shared.jobBits = 0
        shared.started = 0
        for index in inputs.indices { shared.inputs[index].modified = 0 }
        shared.settings.removeAll { ["unregistered", "retry-rows"].contains($0.name) }
        return shared
    }

    /// The digest by which workers know that they have the same inputs and settings.
    /// - Parameter cutRows: The rows of a cut, which are the same for all of them, too.
    /// - Returns: The digest.
    func digest(cutRows: UInt64) -> UInt64 {
        Checksum.of(Array((ofAllWorkers.json + " \(cutRows)").utf8))
    }
}
