import FanfareBase

@testable import FanfareCore

/// The requests of workers of a small job in tests, each from a machine of its own.
enum SharedJobAsks {
    static let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil)

    static func place(_ worker: UInt128) -> ClusterPlace {
        ClusterPlace(host: UInt64(worker), boot: 1, file: 1)
    }

    static func join(_ worker: UInt128) -> ClusterOperation {
        .join(
            .init(
                place: place(worker), nonce: 7, fingerprint: 1, protocols: 1...1, terms: terms))
    }

    static func beat(_ number: UInt64, leaving: Bool = false) -> ClusterOperation {
        .beat(
            .init(
                number: number, using: 0, wants: 0, lined: [], lost: [], counts: ClusterCounts(),
                counter: 1, isLeaving: leaving, opens: nil))
    }

    /// Returns a process of a folder, at a place of its own if none is named.
    static func member(
        _ folder: ClusterFolder, at place: ClusterPlace? = nil, seed: UInt64 = 3
    ) -> ClusterMember {
        ClusterMember(
            folder: folder, place: place ?? Self.place(folder.worker.bits), terms: terms,
            protocols: 1...1, patience: ClusterPatience(), seed: seed)
    }
}
