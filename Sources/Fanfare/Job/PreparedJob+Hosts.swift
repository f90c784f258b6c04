import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareLoop
import FanfareSystem
import FanfareTLS

/// The side of a plan that is about rows that name the hosts that they go to.
extension PreparedJob {
    /// Makes the settings of the routes whose rows name their hosts.
    /// - Parameter settings: The settings of all lanes.
    /// - Returns: The settings by their providers.
    /// - Throws: `FanfareError` about the proxy's password.
    func hostRoutes(
        _ settings: [LaneSettings]
    ) throws(FanfareError) -> [ProviderKind: HostRoute] {
        var found: [ProviderKind: HostRoute] = [:]
        let connections = configuration.engine.connections ?? Limits.hostConnections
        let lookups = HostRoute.lookups(
            connections: connections, threads: Resolver.threadsOfProcess)
        for (index, route) in routes.enumerated() {
            guard let service = route.service as? DeclaredService,
                case .column(let column, let hosts) = service.options.provider.origin,
                service.isAsked
            else { continue }
            let first = settings[number(ofLane: 0, route: index)]
            let perHost = requestsPerHost(service.options)
            let perLane = max(connections / lanes, 1)
            found[route.kind] = HostRoute(
                slot: service.settings.slots[column], hosts: hosts, requestsPerHost: perHost,
                connectionsMax: perLane, sittingOutMax: max(Limits.hostsSittingOutMax / lanes, 1),
                lookups: lookups,
                bounds: configuration.guards.chosenStopIf == nil
                    ? configuration.guards.stopIf.map(\.threshold).filter(\.outcome.wasSent) : [],
                folder: waitingFolder,
                settings: try maker(of: service, first, requests: perHost, by: route.options))
        }
        return found
    }

    /// The requests that a lane has in flight at one host.
    private func requestsPerHost(_ options: DeclaredOptions) -> Int {
        let most = (options.inFlightMax ?? Limits.hostRequests) / lanes
        return max(min(most, (configuration.engine.connections ?? most) / lanes), 1)
    }

    /// Returns the function that makes the settings for one host.
    private func maker(
        of service: DeclaredService, _ first: LaneSettings, requests: Int,
        by route: ProviderOptions
    ) throws(FanfareError) -> @Sendable (DeclaredURL) -> LaneSettings? {
        var common = first
        common.isHostOfRows = true
        common.keepsSeries = false
        common.dispatch.lanes = 1
        common.dispatch.connections = 1
        common.dispatch.connectionsMax = requests
        // In any version of HTTP one request at a time is on a connection: so the bound is one of requests.
        common.dispatch.streamsPerConnection = 1
        common.connection.session.streamCapacity = 1
        // One host proves nothing about another.
        common.dispatch.provesRoute = false
        common.dispatch.patience = min(common.dispatch.patience, Limits.hostPatience)
        // A row that waits keeps memory, and its host a place among those that sit out.
        common.dispatch.retry.wishMax = common.dispatch.patience
        common.dispatch.dial.failuresMaxAtStart = Limits.hostDials
        common.dispatch.backingOffMax = Limits.hostBackingOffMax
        let context = common.connection.tls?.context
        let tunnels = try Self.tunnels(by: route)
        let (options, job) = (service.options, service.settings)
        return { [common] url in
            var settings = common
            var own = job
            let endpoint = Endpoint(host: url.host, port: url.port, usesTLS: url.isSecure)
            own.scheme = endpoint.scheme
            own.authority = url.authority
            settings.hostName = url.host
            settings.connection.tls = nil
            settings.connection.proxy = nil
            if url.isSecure, let context {
                settings.connection.tls = TLSClientSettings(context: context, serverName: url.host)
                settings.connection.proxy = tunnels?(endpoint)
            }
            // The job's own service has the same values but for scheme and host, so it can be made.
            guard
                let service = try? DeclaredService(
                    options, own, unixMilliseconds: { WallClock.milliseconds })
            else { return nil }
            settings.connection.service = service
            return settings
        }
    }

    /// Refuses a proxy for hosts that only it looks up, unless the job leaves them to it.
    /// - Throws: `FanfareError.Code.configuration`.
    static func checkProxy(_ route: ProviderOptions) throws(FanfareError) {
        guard route.hasHostsOfRows, let proxy = route.proxy, !route.allowsPrivateHosts else {
            return
        }
        throw FanfareError(
            .configuration,
            "\(route.provider.rawValue) has a URL in each row, and the proxy \(proxy.name) looks up "
                + "where they lead to, so that Fanfare cannot keep private addresses out. "
                + "\(.privateHosts) leaves that to the proxy; \(.noProxy) goes directly")
    }
}

extension ProviderOptions {
    /// Returns the description with the hosts that the job allows.
    /// - Throws: `FanfareError` with code `configuration` about hosts, or where no row names one.
    func declaredForHosts() throws(FanfareError) -> DeclaredOptions? {
        guard let declared, case .column(_, let hosts) = declared.provider.origin else {
            guard allowedHosts.isEmpty && !allowsPrivateHosts else {
                let setting: Setting = allowedHosts.isEmpty ? .privateHosts : .allowedHosts
                throw FanfareError(
                    .configuration,
                    "\(setting) is for providers whose rows have URLs of their own, and "
                        + "\(provider.rawValue) has one address for all rows")
            }
            return self.declared
        }
        var list: [DeclaredHost] = []
        for text in allowedHosts {
            guard let host = DeclaredHost(text) else {
                throw FanfareError(
                    .configuration,
                    "\(.allowedHosts): '\(text)' is no host; write example.org, .example.org for all "
                        + "below it, or *, with a port behind a colon if need be")
            }
            if host.isOfMany, let proof = declared.provider.proofInRequests {
                throw FanfareError(
                    .configuration,
                    "\(.allowedHosts): '\(text)' stands for hosts of anyone, and each that a row names "
                        + "could get \(proof) of \(provider.rawValue), which is good at the others; "
                        + "name the hosts or their domains")
            }
            list.append(host)
        }
        let allowed = RowHosts(
            list.isEmpty ? hosts.list : list, allowsPrivate: allowsPrivateHosts)
        return DeclaredOptions(
            file: declared.file.allowing(allowed), settings: declared.settings)
    }
}
