import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

extension MetricsServer {
    /// What the command line asks for; `nil` for none.
    /// - Throws: `FanfareError` when the address cannot be had.
    convenience init?(_ arguments: ParsedArguments) throws(FanfareError) {
        guard let place = arguments[ifOffered: Options.metrics] else { return nil }
        let text = arguments.text(Options.metrics) ?? ""
        let host = place.host == "localhost" ? "127.0.0.1" : place.host
        guard let address = SocketAddress(host, port: place.port) else {
            throw FanfareError(
                .configuration, "--metrics \(text): \(place.host) is not an address")
        }
        do throws(SystemError) {
            try self.init(address)
        } catch {
            throw FanfareError(
                error.isShortage ? .output : .configuration,
                "--metrics \(text): \(error.description)")
        }
        if place.port == 0 { chosenAddress = address.with(port: port) }
    }

    /// Says where it is, if the system has chosen the port.
    ///
    /// To be said when signals are listened for: a script takes it for the job's beginning.
    func announce() {
        guard let chosenAddress else { return }
        Terminal.error("metrics at http://\(chosenAddress)/metrics")
    }

    /// Shows this job.
    func show(_ job: Job) {
        let start = WallClock.milliseconds
        page = {
            MetricsPage(
                job.progress, rate: job.rate, routeRates: job.routeRates,
                lateStarts: job.lateStarts, startMilliseconds: start
            ).text
        }
    }
}
