/// Where a row's payload comes from when the row has no `payload` of its own.
public enum PayloadSource: Sendable, Equatable {
    /// Nowhere else: every row brings its own.
    case column
    /// A JSON text with `{{placeholders}}`.
    /// - Parameter name: What to call it in messages: a file's path or `--payload-json`.
    case template(json: [UInt8], name: String)
    /// What is said, of which each provider gets a payload of its own.
    case message(Message)

    /// A JSON text with `{{placeholders}}`: `{"aps": {"alert": "Hi {{name|friend}}"}}`.
    public static func template(_ json: String) -> PayloadSource {
        .template(json: Array(json.utf8), name: "the template")
    }
}
