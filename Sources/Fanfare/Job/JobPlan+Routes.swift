import FanfareBase
import FanfareCore
import FanfareSystem

/// The routes of a plan: the providers that it sends to.
extension JobPlan {
    /// The providers of a configuration, in order.
    ///
    /// The first one also reports the rows that belong to none.
    static func routes(_ configuration: Configuration) -> [ProviderKind] {
        [configuration.provider.provider.kind]
    }

    /// How rows find their routes; `nil` if there is one.
    var routing: RouteSettings? {
        guard routes.count > 1 else { return nil }
        return RouteSettings(
            finder: RouteFinder(routes, slot: preparation.providerSlot), folder: waitingFolder)
    }

    /// Where rows are written that cannot be sent yet: beside the report.
    var waitingFolder: String {
        let report = configuration.report.path
        return report == "-" || OutputFile.isDevice(report)
            ? "." : FileDescriptor.folder(of: report)
    }

    /// Sees to it that rows can be put aside, before anything is sent.
    /// - Throws: `FanfareError.Code.output` when no file can be made for them.
    func proveWaitingFolder() throws(FanfareError) {
        if let windows, !windows.skips { try WaitingRows.prove(windows.folder) }
        if let routing { try WaitingRows.prove(routing.folder, waitingFor: "their provider") }
    }
}
