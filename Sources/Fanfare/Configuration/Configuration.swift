package import FanfareBase
import FanfareCore

/// Everything a job needs to know, as plain values.
///
/// The defaults are those of the command line; nothing here is read from the environment.
public struct Configuration: Sendable {
    /// The name of the job for people, such as `Black Friday`; `nil` for none.
    ///
    /// At most 200 bytes on one line. It stands on the page, in the summary, the log and the
    /// metrics, and it may be another one when the job is carried on.
    public var name: String?
    /// A remark about the job for people; `nil` for none.
    ///
    /// At most 1,000 bytes on one line. It stands where the name does, but not in the metrics.
    public var note: String?
    /// The inputs that rows come from, in order.
    public var inputs: [RowInput] = []
    /// The treatment of the first input as a seed list; `nil` if it is none.
    public var seeds: SeedOptions?
    /// The settings for reading the inputs.
    public var rows = RowOptions()
    /// The payload of rows without one of their own.
    public var payload = PayloadSource.column
    /// The providers to send to, in order: each takes the rows that are for it.
    ///
    /// A row names its provider in its column `provider`, or the form of its token decides.
    public var routes = [ProviderOptions()]
    /// The settings of the engine: connections, pace, retries.
    public var engine = EngineOptions()
    /// At which hours; `nil` for all.
    public var window: HoursOptions?
    /// The outcomes that stop or fail the job.
    public var guards = GuardOptions()
    /// Asks a person whether to go on although many rows are invalid; `nil` if there is none.
    package var mayGoOn: (@Sendable (Statement) -> Bool)?
    /// The settings of the report.
    public var report = ReportOptions()
    /// The log of events; `nil` for none.
    public var log: LogOptions?
    /// The job of several workers that this one is a part of; `nil` for a job of its own.
    package var cluster: ClusterOptions?
    /// The names of settings in the log, the summary and the page.
    package var naming = Naming.members

    /// A configuration with all defaults and no inputs.
    public init() {}

    /// The only provider, or the first one.
    public var provider: ProviderOptions {
        get { routes.first ?? ProviderOptions() }
        set { routes.replaceSubrange(routes.prefix(1).indices, with: [newValue]) }
    }
}
