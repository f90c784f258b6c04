import FanfareBase
import FanfareCore

extension OutcomeGroups {
    /// Writes the groups as a member: those of a report, or the variants of a job.
    func write(to writer: inout JSONWriter, as name: String) {
        writer.beginObject(name)
        writer.member("column", column)
        writer.objects("groups", zip(groups, tests)) { pair, writer in
            let (group, test) = pair
            writer.member("value", group.name)
            writer.member("rows", group.counts.all)
            writer.writeOutcomes { group.counts[$0] }
            let share = Double(group.counts[.accepted]) / Double(max(group.counts.all, 1))
            writer.member("accepted_share", group.counts.all == 0 ? nil : share)
            writer.member("difference", test?.difference)
            writer.member("p_value", test?.probability)
        }
        if rest.all > 0 { writer.member("rows_of_other_values", rest.all) }
        writer.endObject()
    }
}
