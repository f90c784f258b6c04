import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures

extension RouteProgress {
    /// Writes the members that progress and status of a job both have about a route.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("provider", provider.rawValue)
        writer.member("rows", finished)
        writer.writeOutcomes { counts.outcomes[$0] }
        writer.member("in_flight", inFlight)
        writer.member("connections", connections)
    }
}
