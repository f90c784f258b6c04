import FanfareBase
import FanfareCore
import FanfareSystem

/// The topic that each notification needs when a provider token signs it.
extension JobPlan {
    /// Refuses a job in which no row can have a topic; each would be `invalid`, one after the other.
    ///
    /// NDJSON and pipes get the benefit of the doubt: a later row may have one.
    /// - Throws: `FanfareError.Code.configuration`.
    func checkTopic() throws(FanfareError) {
        guard service.settings.lacksTopic, configuration.rows.validates else { return }
        for (index, input) in configuration.inputs.enumerated() {
            guard let columns = columns(of: input, isFirst: index == 0) else { return }
            let wanted = configuration.rows.mapping[Self.topic] ?? Self.topic
            guard !columns.contains(wanted) else { return }
            // A topic under another name, or more than one that it may be.
            guard let found = try? ColumnNames.found(in: columns, for: source.schema),
                found[Self.topic] == nil
            else { return }
        }
        let names = configuration.inputs.map(\.name)
        let places = names.count == 1 ? "\(names[0]) has" : "none of the inputs has"
        throw FanfareError(
            .configuration,
            "no row would have a topic, which every notification needs that a key signs: there is "
                + "no \(.topic), and \(places) no column 'topic'. \(.topic, any: "BUNDLE-ID") "
                + "gives it to all "
                + "rows, \(.mapping, of: "topic", is: "NAME") reads it from another column")
    }

    private static let topic = RowSchema.Known.topic.name.description

    /// The columns of an input; `nil` if it may have others further on, or can be read only once.
    private func columns(of input: RowInput, isFirst: Bool) -> [String]? {
        if isFirst { return columns(of: source) }
        switch input {
        case .file(let path): guard FileDescriptor.isRegularFile(path) else { return nil }
        case .memory, .sqlite: break
        case .standardInput, .generated, .sequence: return nil
        }
        let probe = RowSource(
            inputs: [input], options: configuration.rows, schema: source.schema, required: [])
        guard (try? probe.openNext()) == true else { return nil }
        return columns(of: probe)
    }

    private func columns(of source: RowSource) -> [String]? {
        if let rows = source.current?.bytes.rows { return rows.columns }
        guard let shape = source.first?.shape, shape.format == .csv else { return nil }
        return shape.columns
    }
}
