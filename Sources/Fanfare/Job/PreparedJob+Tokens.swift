import FanfareBase
import FanfareCore
import FanfareSystem

/// The selection of a plan's rows that are left out because of their tokens.
extension PreparedJob {
    /// Returns the filter that finds them.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - spec: The settings for reading the rows.
    ///   - seedCount: The rows of a seed list.
    ///   - finder: Finds the route of a row; `nil` if there is one route.
    ///   - cancellation: Set when the job wants no more rows.
    ///   - setBytesMax: The memory for the tokens of rows.
    /// - Returns: The filter; nil if all rows count.
    /// - Throws: `FanfareError` with code `input` about a list.
    static func tokenFilter(
        _ configuration: Configuration, _ spec: InputSpec, seedCount: UInt64,
        finder: RouteFinder? = nil, cancellation: CancellationFlag,
        setBytesMax: Int = Limits.tokenSetBytesMax
    ) throws(FanfareError) -> TokenFilter? {
        let rows = configuration.rows
        guard
            rows.deduplication != nil || !rows.suppressions.isEmpty || configuration.seeds != nil
        else { return nil }
        let audience = RowAudience(rows.choice, spec.schema, seedCount: seedCount)
        let once = configuration.inputs.first { !canBeReadTwice($0) }
        let tokens = RowTokens(of: configuration, finder: finder)
        var notices: [Statement] = []
        // Workers compare what they leave out.
        let shared =
            configuration.cluster == nil
            ? nil : RowTokens(of: configuration, finder: finder, hasher: TokenHasher(key: (1, 2)))
        let lists = try suppressionLists(configuration, tokens, shared, &notices)
        return TokenFilter(
            tokens, lists: lists, deduplication: rows.deduplication, audience: audience,
            seeds: try seedTokens(configuration, spec, tokens), notices: notices,
            bytesMax: setBytesMax
        ) { tokens throws(FanfareError) in
            if let once {
                throw FanfareError(
                    .input,
                    "\(.deduplication) remembers some 14 million different tokens; with more of "
                        + "them it reads the rows twice, and \(once.name) can be read only once: "
                        + "put the rows into a file")
            }
            return try TokenSurvey.of(
                RowSource(configuration.inputs, spec), tokens: tokens, of: audience,
                winner: rows.deduplication ?? .first,
                folder: folder(besides: configuration.report.path),
                isCancelled: { cancellation.isSet })
        }
    }

    /// Refuses a pipe that would have to be read twice, before anything is read of it.
    static func checkDeduplication(_ configuration: Configuration) throws(FanfareError) {
        guard configuration.rows.deduplication == .last,
            let once = configuration.inputs.first(where: { !canBeReadTwice($0) })
        else { return }
        // Opening the input reports a missing file.
        if case .file(let path) = once, !FileDescriptor.exists(path) { return }
        throw FanfareError(
            .configuration,
            "\(.deduplication, Deduplication.last) has to read the rows twice, and \(once.name) "
                + "can be read only "
                + "once: put the rows into a file, or use \(.deduplication, Deduplication.first)"
                + (once.path == nil ? "" : ", or let the query find them"))
    }

    static func canBeReadTwice(_ input: RowInput) -> Bool {
        switch input {
        case .file(let path): FileDescriptor.isRegularFile(path)
        // Between two looks at it a database may have changed.
        case .standardInput, .generated, .sqlite, .sequence: false
        case .memory: true
        }
    }

    /// The report's folder, or one for files that outlive a restart, which are on a disk.
    private static func folder(besides path: String) -> String {
        guard path != ReportOptions.noFile, path != "-", !OutputFile.isDevice(path) else {
            return "/var/tmp"
        }
        return FileDescriptor.folder(of: path)
    }

    // MARK: Lists

    private static func seedTokens(
        _ configuration: Configuration, _ spec: InputSpec, _ tokens: RowTokens
    ) throws(FanfareError) -> SeedTokens? {
        guard configuration.seeds != nil, let list = configuration.inputs.first else { return nil }
        let set = TokenSet(bytesMax: Limits.tokenSetBytesMax)
        let reader = try RowReader(list, spec)
        let batch = RowBatch(slotCount: reader.head.schema.slotCount)
        while try reader.fill(batch), reader.rowCount <= Limits.seedRowsMax {
            for index in 0..<batch.rowCount {
                if let digest = tokens.digest(batch, index) { _ = set.insert(digest) }
            }
        }
        return SeedTokens(rowCount: reader.rowCount, tokens: set)
    }

    private static func suppressionLists(
        _ configuration: Configuration, _ tokens: RowTokens, _ shared: RowTokens?,
        _ notices: inout [Statement]
    ) throws(FanfareError) -> [SuppressionList] {
        var lists: [SuppressionList] = []
        for list in configuration.rows.suppressions {
            // The settings for the rows' names and quotes do not apply to a list: with quotes
            // ignored a token in quotes would be none, and with quotes trusted an open one would
            // swallow the tokens behind it.
            let reader = try RowReader(
                list,
                InputSpec(
                    required: [(column: "token", by: "\(.suppressions) reads")],
                    findsOtherNames: true, isTokenList: true,
                    cleaning: configuration.tokenCleaning))
            let bytesLeft = Limits.tokenSetBytesMax - lists.reduce(0) { $0 + $1.byteCount }
            let read = SuppressionList(reader.head.name, bytesMax: bytesLeft)
            let earlier = lists
            lists.append(read)
            guard try add(reader, tokens, shared, to: read, behind: earlier) else {
                throw tooManyTokens(lists)
            }
            if reader.rowCount == 0 { notices += reader.head.notices }
        }
        return lists
    }

    private static func tooManyTokens(_ lists: [SuppressionList]) -> FanfareError {
        FanfareError(
            .input,
            "the lists of \(.suppressions) have more than \(lists.reduce(0) { $0 + $1.count }) "
                + "different tokens, and \(Limits.tokenSetBytesMax >> 20) MiB are full; leave "
                + "out tokens that are in none of the rows, or send the rows in "
                + "several parts, each with its part of the lists")
    }

    /// - Returns: False if there is no room for all of them.
    private static func add(
        _ list: RowReader, _ tokens: RowTokens, _ shared: RowTokens?,
        to suppressed: SuppressionList, behind earlier: [SuppressionList]
    ) throws(FanfareError) -> Bool {
        let batch = RowBatch(slotCount: list.head.schema.slotCount)
        while try list.fill(batch) {
            for index in 0..<batch.rowCount {
                let row = unsafe batch.rows[index]
                let token = unsafe row.fault == .none ? batch.value(of: .token, row: index) : .empty
                let isText = row.fault.code != .invalidUTF8 && row.fault.code != .lineNotUTF8
                let isCutOff = unsafe token.suffix(ellipsis.count).elementsEqual(ellipsis)
                guard !isCutOff, let digests = unsafe tokens.digests(ofEntry: token) else {
                    throw FanfareError(
                        .input,
                        "\(list.head.name), line \(row.line): this is "
                            + (isCutOff
                                ? cutOffToken
                                : isText ? "no token" : "not UTF-8, as a list has to be")
                            + ", so it does not say which device to leave out; nothing was sent")
                }
                let isNew = shared != nil && !earlier.contains { $0.contains(digests.0) }
                let sharedDigest = unsafe isNew ? shared?.digests(ofEntry: token)?.0 : nil
                guard unsafe suppressed.add(token, digests, shared: sharedDigest) else {
                    return false
                }
            }
        }
        return true
    }

    /// The end of a token of which a report shows the beginning; no token has such characters.
    private static let ellipsis = Array("…".utf8)

    private static let cutOffToken: Statement =
        "the beginning of a token, as reports have it with \(.reportToken, ReportToken.prefix)"
}

extension Configuration {
    /// The blanks and brackets that tokens may be written with, if they are checked.
    var tokenCleaning: TokenCleaning? {
        guard rows.validates else { return nil }
        return routes.contains { $0.provider == .apns } ? .ofAPNs : .ends
    }
}
