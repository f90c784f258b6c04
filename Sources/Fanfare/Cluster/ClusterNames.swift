import FanfareCore

/// The words by which every command calls the workers of a job: the name of one that has it alone, and else the name with
/// the worker's number behind it, as in `web3#2`.
///
/// A worker's number is its place in the order in which they joined. No worker ever goes from the tables, so it stays the same.
struct ClusterNames: Equatable, Sendable {
    private let ids: [WorkerID]
    private let names: [String]
    /// The words, in the order in which the workers joined.
    let labels: [String]

    /// - Parameter workers: All workers of the job, in the order in which they joined.
    init(_ workers: [(id: WorkerID, name: String)]) {
        ids = workers.map(\.id)
        names = workers.map(\.name)
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        labels = names.enumerated().map { place, name in
            counts[name] == 1 && !name.isEmpty ? name : "\(name)#\(place + 1)"
        }
    }

    /// Returns the places of the workers that a text may mean: a label, the bits of one as a UUID, or the name of several.
    func places(of text: String) -> [Int] {
        let exact = labels.indices.filter { labels[$0] == text || ids[$0].text == text }
        return exact.isEmpty ? names.indices.filter { names[$0] == text } : exact
    }

    /// Returns the place of the one worker that a text means.
    /// - Parameters:
    ///   - text: The text.
    ///   - job: The job's name.
    /// - Returns: The place, counted from 0.
    /// - Throws: `FanfareError` with code `configuration` if there is none, or more than one.
    func place(of text: String, in job: String) throws(FanfareError) -> Int {
        let places = places(of: text)
        guard let place = places.first else {
            throw FanfareError(
                .configuration,
                message: "\(job) has no worker \(text); fanfare cluster status names them")
        }
        guard places.count == 1 else {
            // Two labels are the same only if a worker has the label of another one for its name.
            let words = places.map { labels[$0] }
            let isClear = Set(words).count == words.count
            throw FanfareError(
                .configuration,
                message: "\(places.count) workers of \(job) are called \(text); name one of them: "
                    + (isClear ? words : places.map { ids[$0].text })
                    .map(ClusterControl.shown).joined(separator: ", "))
        }
        return place
    }
}
