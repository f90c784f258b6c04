import Fanfare
import FanfareBase
import FanfareCore

extension Options {
    /// The options for the engine's resources: `send`.
    static let engineOptions: [any AnyOption] = [
        connections, streams, adaptive, lanes, maxAttempts, delivery, until, timeout,
        connectTimeout,
        giveUpAfter,
    ]

    /// The outcomes that stop or fail a job, and the answer to its question: `send`.
    static let guardOptions: [any AnyOption] = [stopIf, failIf, yes]

    static let connections = Option(
        "connections", .value(.count(1...Limits.connectionsMax)), .engine,
        "Connections to the provider, over all lanes",
        detail: "By default each lane begins with one, and opens more while stream limits or "
            + "flow-control windows hold it: up to \(Limits.connectionsChosenMax) in all.",
        default: "as many as are of use", example: "4")
    static let streams = Option(
        "streams", .value(.count(1...Limits.streamsMax)), .engine,
        "Requests in flight on one connection, at most", default: "as many as the provider allows",
        example: "500")
    static let adaptive = Option(
        "adaptive", .negatableFlag(or: true), .engine,
        "Have as many requests in flight as the provider answers well; the default",
        detail: "More while it does, fewer when it refuses (429, 503) or its latency rises. "
            + "--no-adaptive has as many as connections and streams allow.")
    static let lanes = Option(
        "lanes", .value(.count(1...Limits.lanesMax)), .engine, "Threads that work on rows",
        default: "one less than cores, at least 1", example: "2")
    static let maxAttempts = Option(
        "max-attempts", .value(.count(1...Limits.attemptsMax)), .engine,
        "Attempts for a row whose answer may change", default: "5", example: "3")
    static let delivery = Option(
        "delivery", .value(.choice(Delivery.self)), .safety,
        "What becomes of a row that may have got through, or not",
        detail: "at-most-once reports it as unknown. at-least-once sends it again, with the "
            + "same apns-id: the device may show it twice.",
        default: "at-most-once", example: "at-least-once")
    static let until = Option(
        "until", .value("TIME", ValueReader.moment), .hours,
        "When the last attempt may start; rows not started by then are skipped",
        detail: "A time such as 2026-12-01T09:00:00Z, UNIX seconds, or a length of time from "
            + "now, such as +2h.",
        default: "no such time", example: "+2h")
    static let timeout = Option(
        "timeout", .value(.duration), .engine, "How long one attempt may wait for its answer",
        default: "30s", example: "10s")
    static let connectTimeout = Option(
        "connect-timeout", .value(.duration), .engine, "How long setting up a connection may take",
        default: "10s", example: "5s")
    static let giveUpAfter = Option(
        "give-up-after", .value(.duration), .safety,
        "How long the provider may answer nothing before the job stops",
        detail:
            "Meanwhile it is tried with one request at a time. Before its first answer it has a "
            + "minute at most. What is left can be sent later, with --resume.",
        default: "15m", example: "1h")
    static let stopIf = Option(
        "stop-if", .values("BOUNDS", ValueReader.thresholds), .safety,
        "Stop when more rows than this have an outcome; none switches it off",
        detail: "A share is watched over the first 1,000 outcomes, a number of rows all the "
            + "time. What is left can be sent later. For a provider that a file describes "
            + "unregistered>50% is a default, too. A job whose first rows are invalid, more of "
            + "them than the bound allows, does not begin; on a terminal send asks.",
        default: "suspect>50%,unknown>50%,invalid>10%", example: "suspect>50%,failed>1000",
        brief: "Stop if too many end so: 'suspect>10%'", common: true)
    static let yes = Option(
        "yes", .flag, .safety, "Do not ask before a big send",
        detail:
            "On a terminal send asks before more than \(SendPlan.askedRowsMax) rows go to devices "
            + "of users: not for the simulator, a loopback address or the sandbox.",
        common: true)
    static let failIf = Option(
        "fail-if", .values("BOUNDS", ValueReader.thresholds), .safety,
        "End with code 5 when more rows than this had an outcome, or fewer",
        detail: "OUTCOME>AMOUNT or OUTCOME<AMOUNT, such as accepted<90%. An amount is a number of "
            + "rows, or a share in %.",
        default: "none", example: "unregistered>5%")
}
