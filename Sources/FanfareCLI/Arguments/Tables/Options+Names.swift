import FanfareBase

extension Options {
    /// The words by which people know a job: `send`, `check`, `bench`.
    static let nameOptions: [any AnyOption] = [name, note]

    static let name = Option(
        "name", .value(ValueReader.label("TEXT", bytesMax: Limits.jobNameBytesMax)), .watching,
        "What people call the job",
        detail: "It stands on the page, in the summary, the log, the metrics and messages. Up to "
            + "\(Limits.jobNameBytesMax) bytes; with --resume it may be another one.",
        example: "Black Friday")
    static let note = Option(
        "note", .value(ValueReader.label("TEXT", bytesMax: Limits.jobNoteBytesMax)), .watching,
        "A remark about the job, for its page, summary and log",
        detail: "Up to \(Limits.jobNoteBytesMax) bytes.", example: "for the shop team, ticket 1234")
}

extension ValueReader {
    /// Words for people on one line.
    package static func label(_ placeholder: String, bytesMax: Int) -> ValueType<String> {
        ValueType(placeholder) { text throws(ValueFault) in
            if let fault = LabelText.fault(text, bytesMax: bytesMax) { throw ValueFault(fault) }
            return text
        }
    }
}

extension ParsedArguments {
    /// The name and the remark that the command line gives.
    var words: (name: String?, note: String?) {
        (self[ifOffered: Options.name], self[ifOffered: Options.note])
    }
}
