import Fanfare
import FanfareBase

/// `fanfare push`: one notification to a few tokens, for trying things out by hand.
///
/// The same job as `send`, with the tokens of the command line as its rows and the report on
/// standard output; if that is a terminal, sentences in place of the report.
enum PushCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var configuration = Configuration()
        try configuration.readRoutes(arguments)
        let described = try DescribedPush(configuration, arguments)
        let rows =
            described?.lines
            ?? arguments.positionals.map { $0.quoted(doubling: "\"") }.joined(separator: "\n")
        configuration.inputs = [.memory(Array(rows.utf8), name: "the command line")]
        if described == nil {
            configuration.rows.format = .csv
            // Without a header the line of a message is the place of the token.
            configuration.rows.hasHeader = false
            configuration.rows.columns = ["token"]
            configuration.rows.delimiter = UInt8(ascii: ",")
        } else {
            configuration.rows.format = .ndjson
        }
        configuration.readHeaders(arguments)
        if let timeout = arguments[Options.timeout] { configuration.engine.timeout = timeout }
        try configuration.readPayloads(arguments)
        if described == nil,
            configuration.routes.contains(where: { isSilent(configuration.payload(of: $0)) })
        {
            throw arguments.fault("there is nothing to say; give --alert TEXT or --payload FILE")
        }
        configuration.engine.connections = 1
        // A user who tries a few tokens wants to see the outcome of each.
        configuration.guards.stopIf = []
        let outcomes: OutcomeFeed?
        if Terminal.isOutputInteractive {
            configuration.report.path = ReportOptions.noFile
            outcomes = OutcomeFeed {
                Terminal.print(OutcomeSentence($0, terminal: Terminal.outputColumns).text)
            }
        } else {
            configuration.report.path = "-"
            outcomes = nil
        }
        try configuration.readProvider(arguments)
        if described == nil { try refuseColumns(configuration, arguments) }
        // The few report lines say it all; a table only comes when the job was stopped.
        let output = ResultOutput(progress: .none, mayResume: false)
        guard arguments[Options.verbose] else {
            return try SendCommand.send(
                configuration, arguments, strict: true, output: output, outcomes: outcomes)
        }
        let color = Terminal.usesColor(onError: true)
        return try SendCommand.send(
            configuration, arguments, strict: true, output: output, outcomes: outcomes
        ) {
            Terminal.show(ExchangeText($0).render(color: color))
        }
    }

    /// True if a payload makes no notification.
    private static func isSilent(_ payload: PayloadSource) -> Bool {
        switch payload {
        case .column: true
        case .template, .chosen: false
        case .message(let message): message.isSilent
        }
    }

    /// The words on the command line have tokens and no other columns.
    private static func refuseColumns(
        _ configuration: Configuration, _ arguments: ParsedArguments
    ) throws(CommandError) {
        var names: [String] = []
        do throws(FanfareError) {
            for route in configuration.routes {
                names += try configuration.payload(of: route).columnNames(for: route.provider)
            }
        } catch {
            throw .job(error)
        }
        guard let name = names.first(where: { $0 != "token" }) else { return }
        throw arguments.fault(
            "the payload has the placeholder {{\(name)}}, and there are no rows to fill it "
                + "from; write the value itself, or use 'fanfare send' with a file of rows")
    }
}
