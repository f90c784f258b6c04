import FanfareBase

/// Jobs that several workers share.
extension Limits {
    /// Workers of one job: a beat brings a counter for each of them, some 40 bytes, so 40 KiB a second and worker.
    package static let clusterWorkersMax = 1024

    /// Ranges and grants that a survey lists: with 256 ranges cut ahead all that is of use, and some 100 KiB.
    package static let clusterSurveyMax = 1024

    /// Verdicts and orders of a worker that wait for the engine: more than one is rare, and the first one counts.
    package static let clusterDecisionsMax = 8
}
