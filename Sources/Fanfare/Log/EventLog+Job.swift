import FanfareBase
import FanfareCore

/// The beginning and the end of a job in its log.
extension EventLog {
    func started(_ plan: PreparedJob) {
        let configuration = plan.configuration
        var fields: [LogEvent.Field] = [
            .init("job_id", plan.identity.text),
            .init(
                "provider",
                configuration.routes.map(\.shownAuthority).joined(separator: ", ")),
            .init("inputs", configuration.inputs.count), .init("lanes", plan.lanes),
            .init("report", configuration.report.path),
        ]
        if let name = configuration.name { fields.append(.init("name", name)) }
        if let note = configuration.note { fields.append(.init("note", note)) }
        if let proxy = configuration.provider.proxy { fields.append(.init("proxy", proxy.name)) }
        add("job_started", .info, fields)
    }

    func ended(_ result: JobResult) {
        var fields: [LogEvent.Field] = [
            .init("exit_code", result.exitCode), .init("rows_read", result.rowsRead),
        ]
        for outcome in Outcome.allCases {
            let name = outcome.name
            fields.append(.init(name, result.outcomes[name.description] ?? 0))
        }
        add("job_ended", .info, fields)
    }
}
