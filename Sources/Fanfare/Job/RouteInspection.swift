import FanfareBase
import FanfareCore
import FanfareJSON

/// The checks of a route's rows.
///
/// It is a class, because a preparer cannot be copied and a list holds several. The preparer is
/// behind a pointer: as a property of the object, each use of it would be checked for others at the
/// same time, which was a seventh of a rehearsal's work.
@safe
final class RouteInspection {
    private let place = UnsafeMutablePointer<RowPreparer>.allocate(capacity: 1)
    /// The values of the route's template: where each lies in a row, and its place among those of all routes.
    let values: [(slot: Int, index: Int)]
    /// The route's own expiration, in UNIX seconds; 0 for none.
    let expiration: Int64
    /// Looks for mistakes in payloads that rows bring; `nil` where they bring none.
    let lint: (any PayloadInspection)?
    /// The provider whose payloads have a weight that is not their length; `nil` where they have
    /// none.
    let weighed: ProviderKind?

    init(_ route: RoutePlan, values: [Int]) {
        unsafe place.initialize(to: RowPreparer(route.preparation, route.service))
        weighed = route.service.provider == .fcm ? .fcm : nil
        lint = route.payload == .column ? route.inspection(isTemplate: false) : nil
        expiration = route.options.expiration.flatMap { Int64($0) } ?? 0
        self.values = values.enumerated().filter { route.templateSlots.contains($0.element) }
            .map { (slot: $0.element, index: $0.offset) }
    }

    deinit {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    /// Calls a function with the preparer of the route's rows.
    @inline(__always)
    func preparer<R>(_ body: (inout RowPreparer) -> R) -> R { unsafe body(&place.pointee) }

    /// Makes a row ready, if it has a route.
    /// - Returns: False when it must not be sent.
    @inline(__always)
    func prepare(
        _ batch: RowBatch, _ index: Int, _ answer: RouteFinder.Answer, into row: inout PreparedRow
    ) -> Bool {
        guard case .route = answer else {
            return preparer { preparer in
                _ = preparer.prepare(batch, index, lacksRoute: true, into: &row)
                if let problem = answer.verdict?.problem {
                    preparer.failRoute(problem, batch, index)
                }
                return false
            }
        }
        return preparer { $0.prepare(batch, index, into: &row) }
    }
}

extension RouteFinder.Answer {
    /// The route whose rules a row is held against: the first one for a row that has none.
    var index: Int { if case .route(let index) = self { index } else { 0 } }
}
