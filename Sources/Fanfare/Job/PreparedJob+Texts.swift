import FanfareBase
import FanfareCore

/// A text that payloads are made of, as the provider takes it.
struct NamedTemplate: Sendable {
    /// The text's name in messages: a file's path, or an option.
    var name: String
    /// JSON without white space.
    var json: [UInt8]
}

/// The payloads of a route, and those of them that rows choose from.
extension PreparedJob {
    /// Returns the texts that a route's payloads are made of; none where rows bring them.
    /// - Throws: `FanfareError` with code `configuration` about a text.
    static func templates(
        _ source: PayloadSource, for route: ProviderOptions
    ) throws(FanfareError) -> [NamedTemplate] {
        if let declared = route.declared, !declared.takesPayload { return [] }
        guard case .chosen(let choice) = source else {
            let json = try templateText(source, for: route.provider.kind) ?? route.leastPayload
            return json.map { [NamedTemplate(name: source.name, json: filled($0, route))] } ?? []
        }
        return try choice.texts.map { text throws(FanfareError) in
            guard let json = try templateText(text.payload, for: route.provider.kind) else {
                throw FanfareError(
                    .configuration,
                    "\(text.payload.name): nothing is said that makes a payload for "
                        + "\(route.provider.kind.title)")
            }
            return NamedTemplate(name: text.payload.name, json: filled(json, route))
        }
    }

    private static func filled(_ json: [UInt8], _ route: ProviderOptions) -> [UInt8] {
        route.provider == .fcm ? FCMTokenPlace.filled(json) : json
    }

    /// Returns the payloads that rows choose from; `nil` where all rows have the same.
    static func chosenTexts(
        _ source: PayloadSource, _ templates: [PayloadTemplate], _ schema: RowSchema
    ) -> ChosenTexts? {
        guard case .chosen(let choice) = source, !templates.isEmpty else { return nil }
        let picker =
            if let column = choice.column, let slot = schema.slot(named: column) {
                TextPicker(slot: slot, values: choice.texts.map(\.name))
            } else {
                TextPicker(millionths: choice.texts.map(\.millionths), seed: choice.seed)
            }
        return ChosenTexts(picker, templates, names: choice.texts.map(\.name))
    }
}

extension PayloadSource {
    /// The name in messages and on the page.
    var name: String {
        switch self {
        case .column: "from the rows"
        case .template(_, let name): name
        case .message(let message): message.name
        case .chosen(let choice):
            if let column = choice.column {
                "by \(column): " + choice.texts.map(\.name).joined(separator: ", ")
            } else {
                choice.texts.map { "\($0.name) \(PayloadChoice.percent($0.millionths))" }
                    .joined(separator: ", ")
            }
        }
    }

    /// True if it is in the form of one provider, or may be.
    var isTemplate: Bool {
        switch self {
        case .template, .chosen: true
        case .column, .message: false
        }
    }

    /// The choice that rows make; `nil` where all have the same payload.
    var choice: PayloadChoice? { if case .chosen(let choice) = self { choice } else { nil } }
}

extension PreparedJob {
    /// Names the outcomes of the rows by their payload.
    /// - Parameter counts: The outcomes, in the order of the payloads; the last ones may be missing.
    /// - Returns: The outcomes with names; `nil` if rows do not choose a payload.
    func variants(_ counts: [OutcomeCounts]) -> OutcomeGroups? {
        let names = configuration.variantNames
        guard !names.isEmpty else { return nil }
        return OutcomeGroups(
            column: PayloadChoice.reportColumn,
            names.enumerated().map { index, name in
                OutcomeGroups.Group(
                    name, index < counts.count ? counts[index] : OutcomeCounts())
            })
    }
}

extension Configuration {
    /// The choices of payloads that rows make, by route.
    private var payloadChoices: [PayloadChoice] {
        routes.compactMap { payload(of: $0).choice }
    }

    /// The columns that decide about payloads, each once.
    var choiceColumns: [String] { payloadChoices.compactMap(\.column).distinct }

    /// The names of the payloads that rows choose from, as the report has them; none where rows do not.
    var variantNames: [String] { payloadChoices.first?.texts.map(\.name) ?? [] }

    /// Returns the settings by which the rows of a route are prepared.
    /// - Parameters:
    ///   - base: The settings that all routes share.
    ///   - route: The route.
    ///   - templates: Its payloads.
    /// - Returns: The same with its payloads and its name.
    /// - Throws: `FanfareError` with code `configuration` about a placeholder.
    func preparation(
        _ base: PreparationSettings, of route: ProviderOptions, _ templates: [NamedTemplate]
    ) throws(FanfareError) -> PreparationSettings {
        var preparation = base
        let texts = try templates.map { text throws(FanfareError) in
            try PreparedJob.compiled(route.asked(text.json), base.schema)
        }
        preparation.chosen = PreparedJob.chosenTexts(payload(of: route), texts, base.schema)
        preparation.template = preparation.chosen == nil ? texts.first : nil
        preparation.report.provider = route.provider.kind
        return preparation
    }

    /// - Throws: `FanfareError.Code.configuration` when routes name their payloads in different ways.
    func checkVariants() throws(FanfareError) {
        let choices = routes.map { payload(of: $0).choice?.texts.map(\.name) }
        guard Set(choices).count <= 1 else {
            throw FanfareError(
                .configuration,
                "\(.variants), \(.payloadColumn): all providers of a job have the same choice of "
                    + "payloads; a message makes one for each of them")
        }
        guard !variantNames.isEmpty,
            report.carriedColumns.contains(PayloadChoice.reportColumn)
        else { return }
        throw FanfareError(
            .configuration,
            "\(.carriedColumns) \(PayloadChoice.reportColumn): the report has a column of that name "
                + "for the payload of each row; to carry the input's under another name: "
                + "\(.carriedColumns, option: "NAME", member: #"["NAME"]"#) "
                + "\(.mapping, of: "NAME", is: PayloadChoice.reportColumn)")
    }
}
