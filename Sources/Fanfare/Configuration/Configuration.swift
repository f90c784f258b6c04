package import FanfareBase
import FanfareCore

/// Everything a job needs to know, as plain values.
///
/// The defaults are those of the command line; nothing here is read from the environment.
public struct Configuration: Sendable {
    /// Where the rows come from, in order.
    public var inputs: [RowInput] = []
    /// What happens behind the first input, if that is a seed list; `nil` if it is none.
    public var seeds: SeedOptions?
    /// How the inputs are read.
    public var rows = RowOptions()
    /// What is sent to each row.
    public var payload = PayloadSource.column
    /// The providers that it is sent to, in order: each takes the rows that are for it.
    ///
    /// A row says so in its column `provider`, or by what its token looks like.
    public var routes = [ProviderOptions()]
    /// How much at once.
    public var engine = EngineOptions()
    /// At which hours; `nil` for all.
    public var window: WindowOptions?
    /// The outcomes that stop or fail the job.
    public var guards = GuardOptions()
    /// What is written about it.
    public var report = ReportOptions()
    /// Where events are logged; `nil` for nowhere.
    public var log: LogOptions?
    /// How log, summary and page call settings.
    package var naming = Naming.members

    /// A configuration with all defaults and no inputs.
    public init() {}

    /// The only provider, or the first one.
    public var provider: ProviderOptions {
        get { routes.first ?? ProviderOptions() }
        set { routes.replaceSubrange(routes.prefix(1).indices, with: [newValue]) }
    }
}
