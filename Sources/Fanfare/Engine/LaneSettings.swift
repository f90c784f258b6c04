import FanfareBase
import FanfareCore

/// The settings of a lane's engine.
struct LaneSettings: Sendable {
    var dispatch: DispatchSettings
    var preparation: PreparationSettings
    var connection: ConnectionSettings
    /// The pace that allows requests to start.
    var pace = LanePace()
    /// The marks of rows that are sent; `nil` for a job that cannot be resumed.
    var marks: StartMarks?
    /// True if the pace counts requests and not the rows in them.
    var pacesRequests = false
    /// True if rows name the host: then a host that is down ends its own rows, and never the job.
    var isHostOfRows = false
    /// The host's name then.
    var hostName = ""
    /// The moment after which no request starts, in milliseconds of UNIX time; nil for none.
    var untilMilliseconds: Int64?
    /// The meter of a load test's requests.
    var meter: RequestMeter?
    /// True to keep the course over time.
    var keepsSeries = false
    /// The buffer of events for the log.
    var events = EventBuffer()
    /// Receives each exchange with the provider.
    var onExchange: (@Sendable (Exchange) -> Void)?
}
