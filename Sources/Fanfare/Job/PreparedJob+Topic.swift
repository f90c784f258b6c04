import FanfareBase
import FanfareCore

/// The topic that each notification needs when a provider token signs it.
extension PreparedJob {
    /// Refuses a job in which no row can have a topic; each would be `invalid`, one after the other.
    ///
    /// NDJSON and pipes get the benefit of the doubt: a later row may have one.
    /// - Throws: `FanfareError.Code.configuration`.
    func checkTopic() throws(FanfareError) {
        let lacksTopic = routes.contains { ($0.service as? APNs)?.settings.lacksTopic == true }
        guard lacksTopic, configuration.rows.validates else { return }
        for index in configuration.inputs.indices {
            guard let columns = source.columns[index] else { return }
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
}
