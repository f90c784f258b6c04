import FanfareBase

/// Requests and connections.
extension Limits {
    /// Rows of one lane that may wait for their next attempt.
    ///
    /// At about 1 KiB each they are 16 MiB; when there are more, the lane takes up no new rows
    /// until some are through.
    package static let backingOffMax = 16 * 1024

    /// The highest `--connections`: beyond it descriptors and memory want a plan of their own.
    package static let connectionsMax = 1024
}

/// Retries, and when connections are opened and given up.
extension Limits {
    /// Retries that a lane may make before it has earned any: a job of a few rows has to be able to
    /// try again, and 50 requests harm no provider.
    package static let retryBudgetFloor: Int64 = 50

    /// Retries that a lane can save up.
    ///
    /// No more rows can wait at once, so more could not be spent in one outage.
    package static let retryBudgetMax = Int64(backingOffMax)

    /// One more retry is allowed after each of these, also with an empty budget: ten a second, as
    /// in Finagle.
    package static let retryTrickle = Duration.milliseconds(100)

    /// Retries that are answered with "too many requests", after which the trickle takes twice as long.
    package static let retriesPerSlowing = 4

    /// Retries in the time that a provider has last needed to take one again: the trickle slows down to that.
    ///
    /// A sixteenth of the time is lost on average, until it is asked after it could take the next one. One that takes
    /// a request in five seconds is asked about ten times for it, and not fifty times.
    package static let retriesPerPeriod: Int64 = 8

    /// The most that the trickle slows down: to one retry in 6.4 seconds.
    package static let retrySlownessMax: Int64 = 64

    /// The attempts of a row that may cost it nothing, so that all of them have room in their number.
    package static let freeAttemptsMax = UInt16.max - UInt16(attemptsMax)

    /// The least wait after `TooManyRequests` without a `retry-after`.
    ///
    /// It doubles with each attempt: 5, 10, 20 and 40 seconds for five attempts. Senders report
    /// seconds to minutes.
    package static let deviceRetryDelay = Duration.seconds(5)

    /// The most that it grows to.
    package static let deviceRetryDelayMax = Duration.seconds(300)

    /// The time for which a peer may be silent, with requests outstanding, before we ask it for a
    /// sign of life.
    ///
    /// Slow answers take seconds; asking after one second has closed healthy connections elsewhere.
    package static let silenceBeforePing = Duration.seconds(10)

    /// The time that it has for that: several retransmissions on the slowest network.
    ///
    /// Together with the silence before it 20 s, less than the time for an attempt.
    package static let pingPatience = Duration.seconds(10)

    /// The time for which a peer may allow no stream at all while rows wait.
    package static let noStreamsMax = Duration.seconds(30)

    /// The time for which we try a provider that has never answered, unless the job's patience is
    /// shorter.
    ///
    /// With 30 s for an answer that is two requests.
    package static let patienceAtStart = Duration.seconds(60)

    /// The number of times that we grant a provider the pause that it asks for, on top of the job's
    /// patience, when nothing else is heard.
    ///
    /// Five attempts wait four times. With a day each, the most that is believed, 1,000 stay within 64 bits.
    package static let wishesMax = 1000

    /// The time for which a peer may refuse or reset every request before we leave its connection.
    ///
    /// Round trips are shorter; a server that is full for a moment soon answers.
    package static let troubleBeforeProbes = Duration.seconds(1)

    /// Resets without an answer between them that say the same at once: each is a row in doubt.
    ///
    /// Where the provider resets a tenth by chance, so many follow one another once in 10¹⁶.
    package static let resetsBeforeProbes = 16

    /// A connection that ends within this time is no good, though no request was sent on it.
    ///
    /// Servers close idle connections after a minute or more.
    package static let connectionTrial = Duration.seconds(10)

    /// The age at which a connection makes room for another one, at the latest.
    ///
    /// It is long enough that the cost of setting one up (a few milliseconds of CPU) does not show,
    /// and short enough to follow changes of DNS.
    package static let connectionAgeMax = Duration.seconds(3600)

    /// The age at which a provider token is left alone: APNs takes it for 60 minutes.
    ///
    /// With the jitter of a tenth connections go between 45 and 50 minutes.
    package static let providerTokenAgeMax = Duration.seconds(50 * 60)

    /// The age beyond which nothing is sent with a token: five minutes for clocks that differ.
    package static let providerTokenAgeEnd = Duration.seconds(55 * 60)

    /// The longest bound of the pause before a request goes again that was refused while others are answered.
    ///
    /// A row that is refused twenty times has more than a minute for it, on average, and a job that
    /// is otherwise done does not wait for it.
    package static let refusedDelayMax = Duration.seconds(10)

    /// Dials of a lane are earned: one for each of these, or by answers.
    ///
    /// 50 a second are a handshake's worth of CPU in the hundredths; clients without a limit have been
    /// seen to dial 23,000 times a second.
    package static let dialInterval = Duration.milliseconds(20)

    /// The same where a peer of HTTP/1.1 says with its answers that it closes the connection: such a server
    /// is dialed for each few requests by everyone.
    ///
    /// 200 a second: each closed connection keeps its port for a minute, of which there are 28,000 for one
    /// address, so that two lanes may go on forever.
    package static let dialIntervalInOrder = Duration.milliseconds(5)

    /// The time that a request of HTTP/1.1 may hold its connection up before another one is dialed for the rows
    /// behind it.
    ///
    /// Providers answer within tenths of a second; `ConnectionDemand` finds out about those that take longer.
    package static let serialPatience = Duration.seconds(1)

    /// Cuts in a row with the same row on its way, after which the row is the suspect, and not the provider.
    ///
    /// Where each hundredth row has its connection cut, and three are on their way, another row is at three
    /// such cuts once in 37,000 times.
    package static let cutsOfSuspect = 3

    /// The answers that earn a lane a dial.
    ///
    /// Load balancers close a connection every 1,000 to 10,000 requests, which is fine; a server that
    /// closes after each one has to do with `dialInterval`, or `dialIntervalInOrder`.
    package static let answersPerDial = 100
}

/// The pace.
extension Limits {
    /// The most attempts of a rate, and of a burst: far beyond any machine.
    ///
    /// With `pacePeriodMax` it keeps the pacer's arithmetic within 128 bits: 2³⁰ permits, each of
    /// 2⁴⁷ ns × twice 2⁴⁷ ns, are 2¹²⁵ units.
    package static let paceCountMax: Int64 = 1_000_000_000

    /// The longest time of a rate, and the longest rise to it.
    package static let pacePeriodMax = Duration.seconds(24 * 3600)

    /// The time that the rate can make up for after a delay, if `--burst` does not say.
    ///
    /// A start is late when the lane was busy, or the system had something else to run. Timers have
    /// whole milliseconds, and several runnable threads on a core wait some 10 ms for each other, so
    /// that a pace without room for 20 ms falls behind on a machine with other work. For the
    /// provider it is a fiftieth of a second's requests at once.
    package static let paceSlack = Duration.milliseconds(20)

    /// The least time between two questions of a lane that was left short of permits.
    ///
    /// It is 250 wake-ups a second instead of one for each request, and a fifth of the time that
    /// can be made up for.
    package static let paceInterval = Duration.milliseconds(4)
}
