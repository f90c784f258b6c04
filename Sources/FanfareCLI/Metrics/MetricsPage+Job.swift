import Fanfare

extension MetricsPage {
    /// The page about a job at this moment.
    /// - Parameters:
    ///   - job: The job.
    ///   - start: The start of the job, in milliseconds of UNIX time.
    init(_ job: Job, startMilliseconds start: Int64) {
        self.init(
            job.progress, rate: job.rate, routeRates: job.routeRates, lateStarts: job.lateStarts,
            startMilliseconds: start, job: (job.name, job.givenName))
    }
}
