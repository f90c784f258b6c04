import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareLoop
import FanfareSystem

/// The servers that show a running job to others: figures for Prometheus, a page for people, or
/// both.
///
/// The command line names their address, or two addresses.
final class JobServers {
    /// The loop that serves them.
    let loop: EventLoop
    private var servers: [WebServer] = []
    private(set) var page: PageServer?
    /// Makes the figures.
    private var metrics: () -> String = { "" }
    /// The lines to print once signals are listened for.
    private var announcements: [String] = []
    /// The names that requests may have for them.
    private let names: ServerNames

    /// Creates the servers that a command line requests; the result is `nil` if it requests none.
    /// - Throws: `FanfareError` when an address is not available.
    init?(_ arguments: ParsedArguments) throws(FanfareError) {
        let metrics = Wish(arguments, Options.metrics)
        let page = Wish(arguments, Options.page)
        let given = arguments[ifOffered: Options.pageHost]
        guard given.isEmpty || page != nil || metrics != nil else {
            throw FanfareError(
                .configuration,
                message: "--\(Options.pageHost.name) needs --\(Options.page.name) or "
                    + "--\(Options.metrics.name) as well")
        }
        names = .ofMachine(given: given)
        guard let first = page ?? metrics else { return nil }
        if let page, let metrics, page.place != metrics.place, page.takes(portOf: metrics) {
            throw metrics.fault(
                "--\(page.name) \(page.text) wants the same port; give both the same address, or "
                    + "another port to one of them")
        }
        do throws(SystemError) {
            loop = try EventLoop()
        } catch {
            throw first.fault(error)
        }
        if let page {
            try addPage(
                page, isSteerable: arguments[ifOffered: Options.pageControl],
                hasMetrics: metrics?.place == page.place)
        }
        if let metrics, metrics.place != page?.place { try addMetrics(metrics) }
    }

    /// An address as it was asked for.
    private struct Wish {
        var name: String
        var text: String
        var place: HostPort

        /// Creates the address of an option; the result is `nil` without the option.
        init?(_ arguments: ParsedArguments, _ option: Option<HostPort?>) {
            guard let place = arguments[ifOffered: option] else { return nil }
            let isNamed = place.host.lowercased() == "localhost"
            self.place = isNamed ? HostPort(host: "127.0.0.1", port: place.port) : place
            name = option.name
            text = arguments.text(option) ?? ""
        }

        /// True if one of two addresses is all of the machine's, and they have one port.
        func takes(portOf other: Wish) -> Bool {
            let everywhere = ["0.0.0.0", "::"]
            return place.port == other.place.port && place.port != 0
                && (everywhere.contains(place.host) || everywhere.contains(other.place.host))
        }

        func fault(_ problem: String) -> FanfareError {
            FanfareError(.configuration, message: "--\(name) \(text): \(problem)")
        }

        func fault(_ error: SystemError) -> FanfareError {
            FanfareError(
                error.isShortage ? .output : .configuration,
                message: "--\(name) \(text): \(error.description)")
        }

        /// The address itself.
        func address() throws(FanfareError) -> SocketAddress {
            guard let address = SocketAddress(place.host, port: place.port) else {
                throw fault("\(place.host) is not an address")
            }
            return address
        }

        func server(on loop: EventLoop) throws(FanfareError) -> WebServer {
            let address = try address()
            do throws(SystemError) {
                return try WebServer(address, loop: loop)
            } catch {
                throw fault(error)
            }
        }
    }

    private func addMetrics(_ wish: Wish) throws(FanfareError) {
        let address = try wish.address()
        let server = try wish.server(on: loop)
        server.answer = { [unowned self] bytes, isFull in
            let response = MetricsResponse.to(
                MetricsRequest.read(bytes), isTooLong: isFull, names: names, metrics: metrics)
            return response.map { .whole($0.bytes) } ?? .incomplete
        }
        servers.append(server)
        if wish.place.port == 0 { announceMetrics(at: address.with(port: server.port)) }
    }

    private func announceMetrics(at address: SocketAddress) {
        announcements.append("metrics at http://\(address)/metrics")
    }

    private func addPage(
        _ wish: Wish, isSteerable: Bool, hasMetrics: Bool
    ) throws(FanfareError) {
        let address = try wish.address()
        guard !isSteerable || address.isLoopback else {
            throw wish.fault(
                "--page-control needs a loopback address, such as 127.0.0.1:\(wish.place.port); "
                    + "on a network others could read its key")
        }
        let key = isSteerable ? PageKey.randomText() : nil
        let gate = PageGate(names: names, key: key.map(PageKey.init), hasMetrics: hasMetrics)
        let page = PageServer(gate, loop: loop) { [unowned self] in metrics() }
        let server = try wish.server(on: loop)
        server.answer = { [unowned page] bytes, isFull in page.answer(bytes, isFull: isFull) }
        servers.append(server)
        self.page = page
        let own = address.with(port: server.port)
        if hasMetrics, wish.place.port == 0 { announceMetrics(at: own) }
        announcements.append("page at http://\(own)/" + (key.map { "#control=\($0)" } ?? ""))
    }

    /// True if there is a page, which receives events and has a last version.
    var hasPage: Bool { page != nil }

    /// The receiver of the job's events; `nil` if no page shows them.
    var listener: (@Sendable ([LogEvent]) -> Void)? { page?.listener }

    /// Says where they are, if that is not known or has a key.
    ///
    /// To be said when signals are listened for: a script takes it for the job's beginning.
    func announce() {
        for text in announcements { Terminal.error(text) }
        // The key is on the terminal now, and nowhere else.
        announcements = []
    }

    /// Shows this job.
    func show(_ job: Job, canSteer: Bool) {
        let start = WallClock.milliseconds
        metrics = { MetricsPage(job, startMilliseconds: start).text }
        page?.show(
            PageServer.Subject(
                page: job.livePage(startMilliseconds: start, canSteer: canSteer),
                figures: { reading, snapshot in
                    var figures = PageFigures(reading, snapshot)
                    figures.rate = job.rate
                    figures.routeRates = job.routeRates
                    figures.lateStarts = job.lateStarts
                    return figures
                },
                progress: { job.progress }, isStopping: { job.isStopping },
                perform: { job.perform($0, nil) }, fileName: "fanfare-\(job.name).html"))
    }

    /// Tells the viewers that the job has ended, and waits briefly until they have its last page.
    /// - Parameters:
    ///   - text: The job's ending, in a sentence.
    ///   - finalPage: Makes the page about it, if it is wanted; empty for none.
    func end(_ text: String, finalPage: () -> [UInt8]) {
        page?.end(text, finalPage: finalPage, on: loop)
    }

    /// Ends them, and the clients that are being served.
    func close() {
        page?.close()
        servers.forEach { $0.close() }
    }
}
