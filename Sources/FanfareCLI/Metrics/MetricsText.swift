import FanfareBase

/// Text in the format of Prometheus, put together family by family.
struct MetricsText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""
    private var name = ""

    /// Begins the samples of a name.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// A sample.
    mutating func sample(
        _ labels: KeyValuePairs<String, String>, _ value: Double, suffix: String = ""
    ) {
        let labels = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += name + suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(value))\n"
    }

    /// A name with one sample.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample([:], value)
    }

    /// The value of a label, which may be a user's words.
    ///
    /// https://prometheus.io/docs/instrumenting/exposition_formats/
    static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { "\\\"\n".utf8.contains($0) }) else { return value }
        return value.escaping(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
    }

    /// Whole numbers without a point, as people read them; the others as short as they are exact.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
