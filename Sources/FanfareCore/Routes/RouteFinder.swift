package import FanfareBase

/// The search for the route of a row: the one of a job's providers that it is for.
///
/// The word in the row's provider column decides, and without one the shape of its token. A job
/// with one route has no use for the search, and in rows with both the word counts.
///
/// It works on bytes, and allocates nothing for a row.
package struct RouteFinder: Sendable {
    /// The route of a row, or the reason why it has none.
    package enum Answer: Equatable, Sendable {
        /// To the route with this index.
        case route(Int)
        /// Nowhere: no provider has the name in the row's column.
        case unknownWord
        /// Nowhere: it is for a provider that the job does not send to.
        case notInJob(ProviderKind)
        /// Nowhere: it names no provider, and its token is like those of none that the job has.
        case unknownShape
    }

    /// The providers of the job's routes, in order.
    package let routes: [ProviderKind]
    /// The slot in which a row names its provider, if the input has a column for that.
    private let slot: Int?
    private let words: ProviderWords
    /// True if no setting says that the column names providers: it was found by its own name.
    private let isColumnGuessed: Bool
    /// The answers for rows of each provider.
    private let (apns, fcm, webpush): (Answer, Answer, Answer)

    /// - Parameters:
    ///   - routes: The providers of the job's routes, in order; of two routes with one provider the
    ///     first gets the rows.
    ///   - slot: The slot in which a row names its provider; `nil` if no row does.
    ///   - words: Words for providers besides those that all jobs know, and the names of those that
    ///     files describe.
    ///   - isColumnGuessed: True if the column was found by its name, so that it may be about something
    ///     else: then an unknown word says nothing where the token leaves no doubt.
    package init(
        _ routes: [ProviderKind], slot: Int?, words: [String: ProviderKind] = [:],
        isColumnGuessed: Bool = false
    ) {
        func answer(_ provider: ProviderKind) -> Answer {
            routes.firstIndex(of: provider).map { .route($0) } ?? .notInJob(provider)
        }
        self.routes = routes
        self.slot = slot
        self.isColumnGuessed = isColumnGuessed
        var own = words
        for case .declared(let name) in routes {
            own[name.text] = own[name.text] ?? .declared(name)
        }
        self.words = ProviderWords(own)
        (apns, fcm, webpush) = (answer(.apns), answer(.fcm), answer(.webpush))
    }

    /// Returns true if a row names its provider.
    package func hasKnownWord(_ batch: RowBatch, _ index: Int) -> Bool {
        let word = unsafe word(batch, index)
        return unsafe !word.isEmpty && words[word] != nil
    }

    private func word(_ batch: RowBatch, _ index: Int) -> UnsafeBufferPointer<UInt8> {
        guard let slot else { return unsafe .empty }
        let field = batch.field(row: index, slot: slot)
        return unsafe field.isMissing ? .empty : ProviderWords.trimmed(batch.value(field))
    }

    /// Finds the route of a row that could be read.
    package func route(of batch: RowBatch, _ index: Int) -> Answer {
        unsafe route(word: word(batch, index), token: batch.value(of: .token, row: index))
    }

    /// Finds the route of a row that could be read, and notes its word if that names no provider.
    package func route(of batch: RowBatch, _ index: Int, noting words: inout RouteWords) -> Answer {
        let word = unsafe word(batch, index)
        let (answer, isKnown) = unsafe decide(word, batch.value(of: .token, row: index))
        if !isKnown { unsafe words.note(word, answer) }
        return answer
    }

    /// Finds a route.
    /// - Parameters:
    ///   - word: The name of a provider; empty if there is none.
    ///   - token: The row's token.
    /// - Returns: The route of the row, or the reason why it has none.
    package func route(
        word: UnsafeBufferPointer<UInt8>, token: UnsafeBufferPointer<UInt8>
    ) -> Answer {
        unsafe decide(word, token).answer
    }

    private func decide(
        _ word: UnsafeBufferPointer<UInt8>, _ token: UnsafeBufferPointer<UInt8>
    ) -> (answer: Answer, isKnown: Bool) {
        if routes.count == 1 { return (.route(0), true) }
        let word = unsafe ProviderWords.trimmed(word)
        if !word.isEmpty {
            if let provider = unsafe words[word] { return (answer(provider), true) }
            guard isColumnGuessed, let provider = unsafe TokenShape.certain(ofToken: token) else {
                return (.unknownWord, false)
            }
            return (answer(provider), false)
        }
        let shape = unsafe TokenShape.provider(ofToken: token)
        guard case .fcm = shape, case .notInJob = fcm else { return (answer(shape), true) }
        // That there is none is for a route to say.
        return (unsafe ProviderWords.trimmed(token).isEmpty ? .route(0) : .unknownShape, true)
    }

    private func answer(_ provider: ProviderKind) -> Answer {
        switch provider {
        case .apns: apns
        case .fcm: fcm
        case .webpush: webpush
        case .declared: routes.firstIndex(of: provider).map { .route($0) } ?? .notInJob(provider)
        }
    }

    // MARK: Words

    /// Appends a row's name for its provider, as a report may have it, or the provider of its
    /// token's shape.
    /// - Parameters:
    ///   - batch: The row's batch.
    ///   - index: Its place there.
    ///   - slot: The slot in which it names its provider; `nil` if it does not.
    ///   - text: The text to append to.
    package static func appendProvider(
        of batch: RowBatch, _ index: Int, slot: Int?, to text: inout ByteBuffer
    ) {
        let field = slot.map { batch.field(row: index, slot: $0) } ?? .missing
        let word = unsafe ProviderWords.trimmed(field.isMissing ? .empty : batch.value(field))
        guard word.isEmpty else {
            let beginning = unsafe word.prefix(4 * (Limits.routeWordShownMax + 1))
            let shown = unsafe String(decoding: beginning, as: UTF8.self)
            return text.append(TerminalText.shown(shown, max: Limits.routeWordShownMax))
        }
        let token = unsafe batch.value(of: .token, row: index)
        text.append(unsafe TokenShape.provider(ofToken: token).rawValue)
    }
}

extension RouteFinder.Answer {
    /// The reason why the row is not sent; `nil` if it has a route.
    package var verdict: RowBatch.Verdict? {
        switch self {
        case .route: nil
        case .unknownWord: .providerUnknown
        case .notInJob: .providerNotInJob
        case .unknownShape: .tokenOfNoProvider
        }
    }
}

extension Limits {
    /// The characters of a word for a provider that a report shows; the longest that is known has 8.
    package static let routeWordShownMax = 32
}
