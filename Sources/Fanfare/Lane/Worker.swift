import FanfareCore
import FanfareLoop
import FanfareSystem

/// One thread of a job: an event loop, and on it a lane for each of the job's routes.
///
/// A slow, paced or dead route affects the others only as far as they share this thread, the reader
/// and the writer.
final class Worker {
    /// A lane to make: its settings, and the route that it belongs to.
    struct Place: Sendable {
        var settings: LaneSettings
        var route: Lane.Route
        /// The number of the lane among those of all routes.
        var number: Int
    }

    private let loop: EventLoop
    private let control: JobControl
    private let lanes: [Lane]
    /// The routes whose rows name their hosts.
    private let hosts: [HostLanes]

    private init(
        _ places: [Place], shared: Lane.SharedFlow, identity: JobIdentity
    ) throws(SystemError) {
        let loop = try EventLoop()
        self.loop = loop
        control = shared.control
        lanes = places.filter { $0.route.hosts == nil }.map { place in
            Lane(
                number: place.number, on: loop, settings: place.settings, route: place.route,
                shared: shared, seed: identity.bits &+ UInt64(place.number))
        }
        hosts = places.compactMap { place in
            place.route.hosts.map { hosts in
                HostLanes(
                    number: place.number, on: loop, settings: place.settings, hosts: hosts,
                    route: place.route, shared: shared,
                    seed: identity.bits &+ UInt64(place.number))
            }
        }
    }

    /// Makes lanes on this thread, and runs them to their ends.
    /// - Parameters:
    ///   - places: One lane of each route.
    ///   - shared: The state that all lanes of the job share.
    ///   - identity: The job, which seeds the random numbers.
    /// - Returns: The results of the lanes; `nil` when they could not be made, which stops the
    ///   others.
    static func run(
        _ places: [Place], shared: Lane.SharedFlow, identity: JobIdentity
    ) -> [LaneResult]? {
        do throws(SystemError) {
            return try Worker(places, shared: shared, identity: identity).run()
        } catch {
            shared.control.stop(error.jobStop)
            return nil
        }
    }

    /// Runs until the job has no more work for its lanes.
    private func run() throws(SystemError) -> [LaneResult] {
        let waker = try LoopWaker(loop: loop) { [unowned self] in
            for lane in lanes { lane.wakenByOthers() }
            for lane in hosts { lane.wakenByOthers() }
        }
        loop.onIteration = { [unowned self] in
            for lane in lanes { lane.turn() }
            for lane in hosts { lane.turn() }
            if lanes.allSatisfy(\.isFinished), hosts.allSatisfy(\.isFinished) { loop.stop() }
        }
        control.add(waker)
        waker.wake()
        loop.run()
        control.remove(waker)
        waker.close()
        return lanes.map(\.result) + hosts.map(\.result)
    }
}
