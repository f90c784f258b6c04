import FanfareBase

/// The times and sizes by which a worker lives with others.
///
/// Safety hangs on none of them: a wrong time costs work that is done later, or lines that say "in doubt".
package struct ClusterPatience: Equatable, Sendable {
    /// The time between two beats, give or take a tenth.
    package var beat = Duration.seconds(1)
    /// The time since its last answered beat was sent after which a worker starts nothing.
    package var own = Duration.seconds(10)
    /// The time without a new beat after which a worker is lost to another one, on that one's clock.
    ///
    /// Longer than its own patience by half: so the two clocks may run at speeds that differ by as much, and a worker
    /// that is lost has stopped using its share before.
    package var others = Duration.seconds(15)
    /// The number of answers that must have shown the same beat, too: a worker that was stopped itself has none.
    package var polls = 5
    /// The time that an answer may take; then the connection is closed, since its request may still be carried out.
    package var answer = Duration.seconds(5)
    /// The time for which nothing but grants of lost workers was left, before their rows are written off.
    package var writeOff = Duration.seconds(60)
    /// The time that a worker that leaves gives the engine to answer: most servers are back by then, and a machine that
    /// shuts down waits for longer.
    package var leaving = Duration.seconds(20)
    /// The first wait after a connection failed; it doubles with each failure.
    package var firstBackOff = Duration.milliseconds(250)
    package var backOffMax = Duration.seconds(5)
    /// The time between two looks for work where there was none.
    package var survey = Duration.seconds(1)

    /// The rows that a worker is granted at once: its work for this time, within these bounds.
    package var blockRows: ClosedRange<UInt64> = 256...65_536
    package var block = Duration.milliseconds(500)
    /// The same with a pace: what is granted and has no line is in doubt when the worker's machine dies.
    package var pacedBlock = Duration.milliseconds(300)
    /// The work of lanes, beyond what they have taken up, with a pace: four looks of the reader.
    package var ahead = Duration.milliseconds(400)
    /// The time between a request and its answer for which these sizes are enough.
    package var nearStep = Duration.milliseconds(50)
    /// The least that is left of a range whose upper part another worker takes.
    package var splitRows: UInt64 = 1_024
    /// The ranges without an owner beyond which nothing more is cut.
    package var cutAhead = 32
    /// The cuts that a range has, at most: some hundred thousand rows change hands with one request.
    package var rangeCuts = 32
    /// The rows with an outcome that prove a job.
    package var provingRows: UInt64 = 1_000

    package init() {}
}
