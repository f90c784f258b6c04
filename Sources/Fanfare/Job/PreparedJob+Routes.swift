import FanfareBase
import FanfareCore
import FanfareSystem

/// The routes of a plan: the providers that it sends to.
extension PreparedJob {
    /// Refuses a job without a provider, and one with two ways to the same: no row could tell them apart.
    /// - Throws: `FanfareError` with code `configuration`.
    static func checkRoutes(_ configuration: Configuration) throws(FanfareError) {
        let providers = configuration.routes.map(\.provider)
        guard !providers.isEmpty else {
            throw FanfareError(.configuration, "the job has no provider to send to")
        }
        for (index, provider) in providers.enumerated()
        where providers[..<index].contains(provider) {
            throw FanfareError(
                .configuration,
                "\(provider.rawValue) is named twice; a job sends to each provider by one route")
        }
        try configuration.checkVariants()
    }

    /// The settings by which rows find their routes; `nil` if there is one route.
    var routing: RouteSettings? {
        Self.finder(routes, configuration).map {
            RouteSettings(finder: $0, folder: waitingFolder, census: wordCensus)
        }
    }

    /// Returns the search for the routes of rows; `nil` if there is one route.
    static func finder(_ routes: [RoutePlan], _ configuration: Configuration) -> RouteFinder? {
        guard routes.count > 1 else { return nil }
        return RouteFinder(
            routes.map(\.kind), slot: routes[0].preparation.providerSlot,
            words: configuration.rows.providerWords.mapValues(\.kind),
            isColumnGuessed: configuration.rows.mapping[RowSchema.provider] == nil)
    }

    /// The column of the first input that has the providers of rows; `nil` if there is none.
    var providerColumn: String? {
        preparation.providerSlot.flatMap { source.first?.schema.inputName(ofSlot: $0) }
    }

    /// The number of a lane among those of all routes: all of the first route, then those of the next.
    func number(ofLane worker: Int, route: Int) -> Int { route * lanes + worker }

    /// The folder for rows that cannot be sent yet: that of the report.
    var waitingFolder: String {
        let report = configuration.report.path
        return report == "-" || OutputFile.isDevice(report)
            ? "." : FileDescriptor.folder(of: report)
    }

    /// Checks that rows can be put aside, before anything is sent.
    /// - Throws: `FanfareError.Code.output` when no file can be made for them.
    func proveWaitingFolder() throws(FanfareError) {
        if let windows, !windows.skips { try WaitingRows.prove(windows.folder) }
        if routes.contains(where: \.options.hasHostsOfRows) {
            try WaitingRows.prove(waitingFolder, waitingFor: "their hosts")
        }
        if let routing { try WaitingRows.prove(routing.folder, waitingFor: "their provider") }
    }
}
