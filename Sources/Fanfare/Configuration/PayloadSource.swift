/// The source of a row's payload when the row has no `payload` of its own.
public enum PayloadSource: Sendable, Equatable {
    /// Nowhere else: every row brings its own.
    case column
    /// A JSON text with `{{placeholders}}`.
    /// - Parameter name: The template's name in messages: a file's path or `--payload-json`.
    case template(json: [UInt8], name: String)
    /// A message, from which each provider gets a payload of its own.
    case message(Message)
    /// Several of them, of which each row gets one.
    case chosen(PayloadChoice)

    /// A JSON text with `{{placeholders}}`: `{"aps": {"alert": "Hi {{name|friend}}"}}`.
    public static func template(_ json: String) -> PayloadSource {
        .template(json: Array(json.utf8), name: "the template")
    }
}
