import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON
import FanfareSystem
import FanfareTLS

/// A configuration made ready: templates compiled, files opened, keys read, everything checked that
/// can be checked before the first byte is sent.
///
/// Crosses threads unchecked for the sake of `source`, which the reader's thread alone uses while the
/// job runs, and the thread that asks for the row count after that one has been joined.
struct PreparedJob: @unchecked Sendable {
    let configuration: Configuration
    let identity: JobIdentity
    /// UNIX time of the job's start, in milliseconds; that of the first run, if there were several.
    let started: Int64
    let source: RowSource
    /// The filter of rows that are left out because of their tokens; for the reader's thread, too.
    let tokenFilter: TokenFilter?
    /// The selection that finds rows to leave out; for the reader's thread, too, and `nil` if there are none.
    let selection: RowSelection?
    /// The words in rows that name no provider; for the reader's thread, too.
    let wordCensus = WordCensus()
    /// The providers that it sends to, in order; at least one.
    ///
    /// The first one also reports the rows that belong to none.
    let routes: [RoutePlan]
    /// The workers, each with a lane for each route.
    let lanes: Int
    /// The rows of the first input, if that is a seed list.
    let seedCount: UInt64
    /// True if a person has agreed to rows that are invalid, as many as there are.
    var toleratesInvalid = false

    /// Checks the rows' side of a configuration, which `check` needs as much as `send`.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - identity: The identity from which the rows' `apns-id` are made.
    ///   - started: UNIX time of the job's start, in milliseconds.
    ///   - headBytes: The bytes of the first input to have seen, for an unfinished job.
    /// - Throws: `FanfareError` with code `configuration` or `input`.
    init(
        _ configuration: Configuration, identity: JobIdentity,
        started: Int64 = WallClock.milliseconds, headBytes: Int? = nil
    ) throws(FanfareError) {
        let configuration = try configuration.withCheckedWords().withDescriptions().withMessage()
        self.started = started
        self.configuration = configuration
        self.identity = identity
        lanes = try Self.lanes(configuration)
        try Self.protectFiles(configuration)
        try Self.check(configuration.window)
        try Self.checkDeduplication(configuration)
        seedCount = try Self.seedCount(configuration)
        try Self.checkRoutes(configuration)
        try configuration.rows.choice.check()
        let templates = try configuration.routes.map { route throws(FanfareError) in
            try Self.templates(configuration.payload(of: route), for: route)
        }
        let templateColumns = try configuration.routes.indices.map { index throws(FanfareError) in
            try configuration.templateColumns(templates[index], of: configuration.routes[index])
        }
        let allColumns = templateColumns.flatMap(\.self).distinct
        let hasChoice = configuration.routes.count > 1
        let schema = Self.schema(configuration, columns: allColumns, hasProvider: hasChoice)
        try Self.check(configuration.rows.mapping, schema)
        var preparation = try Self.preparation(configuration, schema: schema)
        preparation.outcomesUpTo = configuration.report.areOutcomesWanted ? .max : seedCount
        preparation.providerSlot = hasChoice ? schema.slot(named: RowSchema.provider) : nil
        routes = try configuration.routes.indices.map { index throws(FanfareError) in
            let route = configuration.routes[index]
            return RoutePlan(
                options: route, payload: configuration.payload(of: route),
                templates: templates[index],
                service: try Self.service(
                    route, validates: configuration.rows.validates, identity: identity,
                    started: started, schema: schema, filling: configuration.filling(of: route)),
                preparation: try configuration.preparation(
                    preparation, of: route, templates[index]),
                templateSlots: try configuration.templateSlots(
                    templateColumns[index], of: route, schema))
        }
        source = RowSource(
            configuration.inputs,
            InputSpec(
                options: configuration.rows, schema: schema,
                required: Self.requiredColumns(
                    template: allColumns, carried: configuration.report.carriedColumns,
                    zone: configuration.window?.timezoneColumn,
                    mapped: configuration.rows.mapping.keys.sorted(),
                    hasTemplate: zip(configuration.routes, templates).allSatisfy {
                        route, template in
                        !template.isEmpty || route.declared != nil
                    }) + (try Self.requiredColumns(ofDescriptions: configuration))
                    + configuration.rows.choice.columns.map { ($0, "\(.rowConditions) names") }
                    + configuration.choiceColumns.map { ($0, "\(.payloadColumn) names") },
                findsOtherNames: true, findsProvider: hasChoice,
                cleaning: configuration.tokenCleaning,
                wantsOneShape: configuration.report.retryRowsPath != nil,
                headBytes: headBytes))
        selection = RowSelection(configuration.rows.choice, schema, seedCount: seedCount)
        source.selection = selection
        try source.openFirst()
        tokenFilter = try Self.tokenFilter(
            configuration, source.spec, seedCount: seedCount,
            finder: Self.finder(routes, configuration), cancellation: source.cancellation)
        try checkPayload()
        try checkTopic()
        try checkHeaderValues()
        try checkRetryRowsName()
    }

    /// The settings by which the rows of all routes are prepared.
    var preparation: PreparationSettings { routes[0].preparation }

    /// The places of the templates' values in a row, each once.
    var templateSlots: [Int] { routes.flatMap(\.templateSlots).distinct }

    /// Notices for people about the reading of rows.
    var notices: [Statement] { source.notices + repeatedInputs + (tokenFilter?.notices ?? []) }

    /// Collects the columns that anything of the job reads.
    private static func schema(
        _ configuration: Configuration, columns: [String], hasProvider: Bool
    ) -> RowSchema {
        var extra = columns + configuration.routes.flatMap { $0.declared?.valueColumns ?? [] }
        extra += configuration.report.carriedColumns
        extra += [configuration.window?.timezoneColumn].compactMap(\.self)
        extra += configuration.rows.choice.columns + configuration.choiceColumns
        if hasProvider { extra.append(RowSchema.provider) }
        return RowSchema(extra: extra, mapping: configuration.rows.mapping)
    }

    private static func seedCount(
        _ configuration: Configuration
    ) throws(FanfareError) -> UInt64 {
        guard configuration.seeds != nil, let list = configuration.inputs.first else { return 0 }
        guard configuration.rows.deduplication != .last else {
            throw FanfareError(
                .configuration,
                "with \(.deduplication, Deduplication.last) nothing would be sent to people of the "
                    + "seed list \(list.name) whose tokens are in the rows, too; "
                    + "\(.deduplication, Deduplication.first) sends to them "
                    + "once, with the list")
        }
        if case .file(let path) = list, !FileDescriptor.exists(path) {
            throw FanfareError(.input, "the seed list \(path) cannot be read: no such file")
        }
        // It is read once to count its rows, and once more to send to them.
        guard canBeReadTwice(list) else {
            throw FanfareError(
                .configuration,
                "the seed list \(list.name) is no regular file; its rows are counted before they "
                    + "are sent, so it has to be one")
        }
        return try SeedGate.count(list, configuration.rows)
    }

    private static func requiredColumns(
        template: [String], carried: [String], zone: String?, mapped: [String],
        hasTemplate: Bool
    ) -> [(column: String, by: Statement)] {
        var required: [(column: String, by: Statement)] = [("token", "every row needs")]
        if !hasTemplate {
            required.append(("payload", "every row needs when no \(.anyPayload) is given"))
        }
        required += template.map { ($0, "the payload template wants") }
        required += carried.map { ($0, "\(.carriedColumns) names") }
        if let zone { required.append((zone, "\(.timezoneColumn) names")) }
        required += mapped.map { ($0, "\(.mapping) names") }
        return required
    }

    /// A name that nothing reads has been mistyped.
    private static func check(
        _ mapping: [String: String], _ schema: RowSchema
    ) throws(FanfareError) {
        for (ours, theirs) in mapping.sorted(by: { $0.key < $1.key })
        where schema.slot(named: ours) == nil {
            var names = RowSchema.Known.allCases.map(\.name)
            if schema.slot(named: RowSchema.provider) != nil { names.append(RowSchema.provider) }
            let known = names.joined(separator: ", ")
            throw FanfareError(
                .configuration,
                "\(.mapping, of: ours, is: theirs): nothing reads '\(ours)'; what can be mapped is "
                    + "\(known), and what the template or \(.carriedColumns) names")
        }
    }

    private static func lanes(_ configuration: Configuration) throws(FanfareError) -> Int {
        let engine = configuration.engine
        let counts = [
            ("connections", engine.connections ?? 1, Limits.connectionsMax),
            ("streams", engine.streams ?? 1, Limits.streamsMax),
            ("lanes", engine.lanes ?? 1, Limits.lanesMax),
            ("attempts", engine.attemptsMax, Limits.attemptsMax),
        ]
        for (name, count, most) in counts where count < 1 || count > most {
            throw FanfareError(
                .configuration, "\(name): \(count) is not between 1 and \(most)")
        }
        guard engine.timeout > .zero && engine.connectTimeout > .zero && engine.giveUpAfter > .zero
        else {
            throw FanfareError(.configuration, "a timeout has to be longer than nothing")
        }
        guard (0...1).contains(engine.retryBudget) else {
            throw FanfareError(.configuration, "the retry budget is not between 0 and 1")
        }
        // A lane without a connection would have nothing to do.
        let lanes = min(
            engine.lanes ?? max(1, ProcessorCount.available - 1),
            engine.connections ?? Limits.connectionsChosenMax)
        // Each has a request in flight, of which some services take only so many.
        return min(
            lanes, configuration.routes.compactMap { $0.declared?.inFlightMax }.min() ?? lanes)
    }

    // MARK: Payload

    /// The text that payloads are made of, without white space; `nil` where rows bring them.
    static func templateText(
        _ source: PayloadSource, for provider: ProviderKind
    ) throws(FanfareError) -> [UInt8]? {
        switch source {
        case .column, .chosen: nil
        case .template(let json, let name): try minified(json, name)
        case .message(let message): try message.translated(for: provider).payload
        }
    }

    private static func minified(
        _ json: [UInt8], _ name: String
    ) throws(FanfareError) -> [UInt8] {
        var json = json
        json.removeFirst(ByteOrderMark.count(in: json))
        var minified = ByteBuffer(capacity: json.count)
        let validator = JSONValidator()
        let isJSON = unsafe json.withUnsafeBufferPointer { bytes in
            unsafe validator.isObject(bytes) && validator.minify(bytes, into: &minified)
        }
        guard isJSON else {
            throw FanfareError(
                .configuration,
                "\(name) is not a JSON object\(place(ofFaultIn: json)); a payload looks like "
                    + #"{"aps":{"alert":"Hello {{name}}"}}"#)
        }
        return unsafe Array(minified.bytes)
    }

    /// Returns the place where a text ceases to be JSON, for a message.
    private static func place(ofFaultIn json: [UInt8]) -> String {
        do throws(JSONError) {
            _ = try JSONValue.parse(json)
            return ""
        } catch {
            return ": \(error)"
        }
    }

    static func columns(ofTemplate json: [UInt8]?) throws(FanfareError) -> [String] {
        guard let json else { return [] }
        return try told(\.jobError) { () throws(PayloadTemplateError) in
            try PayloadTemplate.columnNames(inJSON: json)
        }
    }

    static func compiled(
        _ template: [UInt8], _ schema: RowSchema
    ) throws(FanfareError) -> PayloadTemplate {
        let validator = JSONValidator()
        return try told(\.jobError) { () throws(PayloadTemplateError) in
            unsafe try PayloadTemplate(json: template, schema: schema) {
                unsafe validator.isValid($0)
            }
        }
    }

    /// Returns the settings that all routes share.
    private static func preparation(
        _ configuration: Configuration, schema: RowSchema
    ) throws(FanfareError) -> PreparationSettings {
        let carried = configuration.report.carriedColumns
        let hasVariants = !configuration.variantNames.isEmpty
        var preparation = PreparationSettings(
            schema: schema, template: nil,
            report: try reportFormat(
                configuration.report, configuration.rows.mapping, hasVariants: hasVariants),
            hasReport: configuration.report.hasRecords,
            carriedSlots: carried.compactMap(schema.slot(named:))
                + (hasVariants ? [ReportFormat.variantSlot] : []),
            validates: configuration.rows.validates,
            keepsText: configuration.report.retryRowsPath != nil,
            zoneSlot: configuration.window?.timezoneColumn.flatMap(schema.slot(named:)),
            unregistered: try unregisteredFormat(configuration.report))
        if configuration.report.isPrompt { preparation.reportDelay = .zero }
        return preparation
    }
}

extension PayloadSource {
    /// Returns the columns that the placeholders of a payload name.
    /// - Parameter provider: The payload's provider.
    /// - Returns: Their names, each once; none where rows bring their payloads.
    /// - Throws: `FanfareError.Code.configuration` about the template.
    package func columnNames(for provider: Provider) throws(FanfareError) -> [String] {
        var configuration = Configuration()
        configuration.payload = self
        configuration.provider.provider = provider
        return try PreparedJob.columns(
            ofTemplate: PreparedJob.templateText(self, for: provider.kind),
            and: try configuration.withMessage().provider)
    }
}
