import FanfareBase

/// The numbers of the window that follows the provider.
extension Limits {
    /// Requests that a job has in flight at first, over all lanes.
    ///
    /// RFC 9113 §6.5.2 recommends that no peer allow less on one connection. Six doublings lead to
    /// 6,400, in a quarter of a second with 40 ms to an answer.
    package static let adaptiveStart = 100

    /// The fewest answers that latency is judged by: sixteen times the least of eight.
    ///
    /// Where latencies scatter by as much as their mean, the least ones do so by a tenth of it, and
    /// sixteen of them are known to a fortieth.
    package static let adaptiveAnswers = 128

    /// Waiting at the provider that is put up with, at least: above it the limit shrinks, below a
    /// third of it the limit grows.
    ///
    /// A busy machine, ours or a server on loopback, adds some milliseconds to every answer.
    package static let adaptiveQueueing = Duration.milliseconds(10)

    /// Latency alone never takes a job's limit below this: a hint, where a refusal is a word.
    package static let adaptiveLeast = 16

    /// The time between two measurements of the latency without a queue, in such latencies.
    ///
    /// With a fifth less in flight for six of them it costs 0.9 %.
    package static let adaptiveProbeInterval: Int64 = 128

    /// The rounds that it takes: the lanes' rounds differ by one.
    package static let adaptiveProbeRounds = 3

    /// The share of refusals that is a signal, beyond what is put up with, in 1024ths: 3 %.
    ///
    /// Two of a hundred are chance, and the cost of a window that finds the limit by going beyond
    /// it.
    package static let adaptiveRefusals = 32

    /// Refusals in a row that leave no doubt; or so many more than other answers among them.
    ///
    /// Where the provider refuses 30 % by chance, one excursion in 1.3 million gets as far:
    /// (0.3 ÷ 0.7)¹⁶.
    package static let adaptiveExcess = 16

    /// Rounds, of `adaptiveAnswers` answers at least, for which the limit grows by one after a connection
    /// was cut off with all requests in doubt; less for a share of them.
    ///
    /// A server that cuts after each 100 answers then takes about three of them with it: see
    /// `adaptiveLossShare`.
    package static let adaptiveCarefulRounds = 32

    /// The share of rows that may be lost with connections that are cut again and again.
    ///
    /// With one request in flight a lost row is the only one, but then a job of 5,000 rows that are answered
    /// in 20 ms takes 100 s; with three, 33 s, and of a hundred rows two more are in doubt.
    package static let adaptiveLossShare = 32
}
