import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// The way of a worker's thread to the engine: a connection that has failed is closed, and the log hears once that the
/// server is away and once that it is back.
struct ClusterLink {
    private let engine: ClusterEngine
    private let log: EventLog?
    private var isAwayTold = false
    private var isFarTold = false

    /// - Parameters:
    ///   - engine: The engine.
    ///   - log: The job's log; `nil` for none.
    init(_ engine: ClusterEngine, log: EventLog?) {
        self.engine = engine
        self.log = log
    }

    /// Asks the engine something.
    /// - Parameter question: Asks it.
    /// - Returns: The answer; `nil` if none has come.
    mutating func ask<Answer>(
        _ question: (ClusterEngine) throws(PostgresError) -> Answer
    ) -> Answer? {
        do throws(PostgresError) {
            return try question(engine)
        } catch {
            hangUp()
            if !isAwayTold {
                log?.add("cluster_away", .error, [.init("message", Statement(error.reason))])
            }
            isAwayTold = true
            return nil
        }
    }

    /// Notes that the engine has answered a request of the member.
    mutating func answered() {
        if isAwayTold { log?.add("cluster_is_back", .info) }
        isAwayTold = false
    }

    /// Notes the time that requests take: a server that is far makes blocks long, and a worker that dies leaves more rows
    /// in doubt.
    mutating func tell(step: Duration) {
        guard step >= (isFarTold ? Limits.clusterFarStep / 2 : Limits.clusterFarStep) else {
            if isFarTold { log?.add("cluster_is_near", .info) }
            isFarTold = false
            return
        }
        guard !isFarTold else { return }
        isFarTold = true
        let milliseconds = step.wholeNanoseconds / 1_000_000
        log?.add("cluster_is_far", .warning, [.init("milliseconds", Statement("\(milliseconds)"))])
    }

    /// Closes the connection, and drops its answers.
    func hangUp() { engine.close() }
}
