import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSQLite
import FanfareSystem

/// The identity of a job: its inputs and the settings that change what it sends or reports.
///
/// The checkpoint keeps it. A resumption with other inputs or settings would send something else to
/// other devices, so the job refuses it and names the difference. Pace, connections, credentials
/// and their project are not part of it: many a job stops because of a wrong key.
struct JobFingerprint: Equatable {
    /// The beginning of the first input: its header if its rows are known by themselves, as a pipe's are.
    struct Head: Equatable {
        var bytes: UInt64
        var checksum: UInt64
    }

    var jobBits: UInt64
    /// UNIX time of the first run's start, in milliseconds.
    var started: Int64
    var inputs: [InputIdentity]
    var head: Head
    /// The settings by the names of their options; an absent option has an empty text.
    var settings: [Setting]

    struct Setting: Equatable {
        var name: String
        var value: String
    }

    /// Describes a job whose first input is open.
    init(_ plan: PreparedJob) throws(FanfareError) {
        jobBits = plan.identity.bits
        started = plan.started
        var head = plan.source.first?.beginning ?? []
        // An earlier run has said how much of it counts.
        if plan.source.spec.headBytes == nil && !plan.configuration.hasFilesOnly {
            head = Array((plan.source.first?.header ?? []).prefix(Limits.inputHeadBytes))
        }
        self.head = Head(bytes: UInt64(head.count), checksum: Checksum.of(head))
        // The first one is open; a database was looked at before that.
        inputs = plan.source.reader?.text.rows?.files ?? []
        for input in plan.configuration.inputs.dropFirst(inputs.isEmpty ? 0 : 1) {
            inputs += try InputIdentity.of(input)
        }
        settings = Self.settings(of: plan.configuration)
    }

    /// Returns the settings that must be the same when the job is carried on.
    static func settings(of configuration: Configuration) -> [Setting] {
        let (rows, report) = (configuration.rows, configuration.report)
        let words = rows.providerWords.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.rawValue)" }
        let providers = configuration.routes.map(\.provider)
        let mapping = rows.mapping.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let values: [(name: String, value: String?)] = [
            // First of all: another version may know other settings, too.
            (reportColumns, ReportFormat.columns.joined(separator: ",")),
            ("format", rows.format?.rawValue),
            ("delimiter", rows.delimiter.map { String($0) }),
            ("no-header", rows.hasHeader ? nil : "yes"),
            ("columns", rows.columns.joined(separator: ",")),
            ("map", mapping.joined(separator: ",")),
            ("no-validate", rows.validates ? nil : "yes"),
            (
                "provider",
                providers == [.apns] ? nil : providers.map(\.rawValue).joined(separator: ",")
            ),
            ("payload", configuration.byRoute { checksum(of: configuration.payload(of: $0), $0) }),
            ("route", words.joined(separator: ",")),
            // A list of rows is often one of people who may be written to, and of others who may not.
            (audience, Self.text(of: rows.choice.conditions)),
            ("endpoint", configuration.byRoute { $0.identity ?? $0.shownEndpoint }),
            ("topic", configuration.byRoute(\.topic)),
            ("push-type", configuration.byRoute(\.pushType)),
            ("priority", configuration.byRoute(\.priority)),
            (
                "expiration",
                configuration.byRoute { route in
                    route.expiration
                        ?? route.expiresAfter.map { "+\($0.components.seconds)" }
                }
            ),
            ("collapse-id", configuration.byRoute { $0.collapseID ?? $0.collapseTemplate }),
            // Rows that a provider only checked have an outcome, and were not delivered.
            ("online", configuration.byRoute { $0.validatesOnly ? "yes" : nil }),
            ("carry", report.carriedColumns.joined(separator: ",")),
            ("report-token", report.token.rawValue),
            ("unregistered", report.unregisteredPath),
            ("retry-rows", report.retryRowsPath),
            // Rows behind the list leave its people out: without it they would be sent to twice.
            ("seed-list", configuration.seedList),
            // Lists of tokens may change: the best moment to know whom not to send to is the end.
            ("deduplicate", rows.deduplication?.rawValue),
            (encoding, rows.encoding?.rawValue),
            ("report-split", report.splitBytes.map { "\($0)" }),
            ("table", configuration.selection(\.table)),
            ("query", configuration.selection(\.query)),
            // Another version may choose another order.
            ("sqlite", configuration.selection { _ in SQLiteDatabase.version }),
            // Until a quote is found open, rows are the same with and without looking for one.
            ("quotes", rows.quotes == .ignored ? rows.quotes.rawValue : nil),
        ]
        return values.map { Setting(name: $0.name, value: $0.value ?? "") }
    }

    /// Returns conditions as one text: each in quotes, in any order, since all of them count.
    private static func text(of conditions: [RowCondition]) -> String {
        Set(conditions.map { JSONValue.string($0.description).text }).sorted()
            .joined(separator: " and ")
    }

    private static func checksum(
        of payload: PayloadSource, _ route: ProviderOptions
    ) -> String? {
        let json: [UInt8]? =
            switch payload {
            case .column: nil
            case .template(let json, _): json
            case .chosen(let choice): Array(identity(of: choice, route).utf8)
            // The message's header values are in the provider's options.
            case .message(let message): try? message.translated(for: route.provider.kind).payload
            }
        return json.map { String(Checksum.of($0), radix: 16) }
    }

    private static func identity(of choice: PayloadChoice, _ route: ProviderOptions) -> String {
        let texts = choice.texts.map { text in
            "\(text.name)\n\(text.millionths)\n\(checksum(of: text.payload, route) ?? "")"
        }
        return ([choice.column ?? "", "\(choice.seed)"] + texts).joined(separator: "\n")
    }

    /// The report's own columns, which lines of another version's job do not have.
    private static let reportColumns = "report-columns"

    /// The conditions that rows have to fit.
    private static let audience = "where"

    private static let encoding = "encoding"

    /// The names of settings in messages.
    static let settingNames: [String: FanfareBase.Setting] = [
        "format": .format, "delimiter": .delimiter, "no-header": .noHeader, "columns": .columns,
        "map": .mapping, "where": .rowConditions,
        "no-validate": .noValidation, "provider": .provider, "route": .routeWords,
        "endpoint": .endpoint, "topic": .topic,
        "push-type": .pushType, "priority": .priority, "expiration": .expiration,
        "collapse-id": .collapseID, "online": .validatesOnly, "carry": .carriedColumns,
        "report-token": .reportToken,
        "unregistered": .unregisteredPath, "retry-rows": .retryRowsPath, "seed-list": .seedList,
        "deduplicate": .deduplication, encoding: .encoding, "report-split": .reportSplit,
        "table": .table, "query": .query, "quotes": .quotes,
    ]
}

// MARK: - Comparing

extension JobFingerprint {
    /// Returns the difference that keeps this job from continuing another one.
    /// - Parameters:
    ///   - earlier: The other one.
    ///   - changed: The first of the inputs that may have changed; `nil` if none may.
    /// - Returns: A sentence; nil if it is the same job.
    func difference(from earlier: JobFingerprint, changedFrom changed: Int? = nil) -> Statement? {
        guard inputs.map(\.name) == earlier.inputs.map(\.name) else {
            return "its rows came from \(earlier.inputs.map(\.name).joined(separator: ", "))"
        }
        if let index = firstChange(since: earlier), changed.map({ index < $0 }) ?? true {
            return Statement(change(ofInput: index, since: earlier))
        }
        // In another encoding the same bytes are another text.
        let encoding = value(of: Self.encoding)
        if encoding != earlier.value(of: Self.encoding) {
            return Self.difference(.encoding, from: earlier.value(of: Self.encoding))
        }
        guard head == earlier.head || changed == 0 else {
            return "\(inputs.first?.name ?? "the input") begins with other bytes than then"
        }
        for now in settings {
            let then = earlier.value(of: now.name)
            guard now.value != then else { continue }
            // A version whose checkpoints do not say for whom a job was let each run choose.
            if now.name == Self.audience
                && !earlier.settings.contains(where: { $0.name == now.name })
            {
                continue
            }
            // Rows that come from no file identify themselves, and a job of a file never begins
            // with an open quote: so a user may declare in the middle of a pipe that quotes mean
            // nothing.
            if now.name == "quotes" && inputs.contains(where: { $0.bytes == nil }) { continue }
            if now.name == Self.reportColumns {
                return "another version of Fanfare began it, whose reports have other columns"
            }
            if now.name == "payload" { return "the payload is not the one of then" }
            if now.name == "sqlite" {
                let version = then.isEmpty ? "another one" : then
                return "SQLite was \(version) then, which may have read rows in another order"
            }
            guard let setting = Self.settingNames[now.name] else {
                preconditionFailure("BUG: no message can name \(now.name)")
            }
            let change = Self.difference(setting, from: then)
            guard now.name == Self.audience else { return change }
            return change + ", and a job for other rows has another \(.reportPath)"
        }
        return nil
    }

    private static func difference(
        _ setting: FanfareBase.Setting, from then: String
    ) -> Statement {
        "\(setting) was \(then.isEmpty ? "not given" : then) then"
    }

    /// A checkpoint of a version without this setting is as one without a value for it.
    private func value(of setting: String) -> String {
        settings.first { $0.name == setting }?.value ?? ""
    }

    /// The first input that is not the file that it was, counted from 0.
    func firstChange(since earlier: JobFingerprint) -> Int? {
        inputs.indices.first {
            $0 >= earlier.inputs.count || inputs[$0] != earlier.inputs[$0]
        }
    }

    /// Returns the change of an input that is another file than before, in a sentence.
    func change(ofInput index: Int, since earlier: JobFingerprint) -> String {
        let (now, then) = (inputs[index], earlier.inputs[index])
        return "\(now.name) has changed since then: \(Self.change(from: then, to: now))"
    }

    private static func change(from then: InputIdentity, to now: InputIdentity) -> String {
        guard let before = then.bytes, let after = now.bytes else { return "it is another file" }
        if before != after { return "\(before) bytes then, \(after) now" }
        let time = then.modified.map { TimestampWriter.string(milliseconds: $0 / 1_000_000) }
        return "written to after \(time ?? "then")"
    }
}

// MARK: - As JSON

extension JobFingerprint {
    private static let version = "fanfare.checkpoint/1"

    /// The fingerprint in the checkpoint.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", Self.version)
        writer.member("job", JobIdentity(bits: jobBits).text)
        writer.member("started", started)
        writer.member("head_bytes", head.bytes)
        writer.member("head_checksum", String(head.checksum, radix: 16))
        writer.beginArray("inputs")
        for input in inputs {
            writer.beginObject()
            writer.member("name", input.name)
            if let bytes = input.bytes, let modified = input.modified {
                writer.member("bytes", bytes)
                writer.member("modified", modified)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.beginObject("settings")
        for setting in settings { writer.member(setting.name, setting.value) }
        writer.endObject()
        writer.endObject()
        return writer.finish()
    }

    /// Reads a fingerprint back; the result is nil if it is not of this version.
    init?(json: [UInt8]) {
        guard let value = try? JSONValue.parse(json), value.string("version") == Self.version,
            let job = value.string("job"), let bits = UInt64(job, radix: 16),
            let started = value.whole("started"),
            let headBytes = value.whole("head_bytes"),
            let headChecksum = value.string("head_checksum"),
            let checksum = UInt64(headChecksum, radix: 16),
            case .array(let inputs) = value["inputs"],
            case .object(let settings) = value["settings"]
        else { return nil }
        jobBits = bits
        self.started = started
        head = Head(bytes: UInt64(clamping: headBytes), checksum: checksum)
        self.inputs = inputs.map { input in
            InputIdentity(
                name: input.string("name") ?? "",
                bytes: input.whole("bytes").map { UInt64(clamping: $0) },
                modified: input.whole("modified"))
        }
        self.settings = settings.map { name, value in
            if case .string(let text) = value {
                Setting(name: name, value: text)
            } else {
                Setting(name: name, value: "")
            }
        }
    }
}

extension Configuration {
    /// True if all inputs are files, whose size and time of change identify them.
    var hasFilesOnly: Bool {
        inputs.allSatisfy { input in
            switch input {
            case .sqlite, .generated: true
            case .file(let path): (try? FileDescriptor.status(of: path).isRegular) == true
            case .standardInput, .memory, .sequence: false
            }
        }
    }

    /// The name of the seed list; `nil` without one.
    ///
    /// The wait, question and failure limit after the list are not part of the job.
    fileprivate var seedList: String? { seeds == nil ? nil : inputs.first?.name }

    /// Something of the rows that are selected in a database; `nil` if there is none.
    fileprivate func selection(_ value: (SQLiteSelection) -> String?) -> String? {
        for case .sqlite(_, let selection) in inputs { return value(selection) }
        return nil
    }
}

extension SQLiteSelection {
    fileprivate var table: String? { if case .table(let name) = self { name } else { nil } }
    fileprivate var query: String? { if case .query(let text) = self { text } else { nil } }
}
