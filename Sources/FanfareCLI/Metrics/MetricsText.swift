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

    /// A sample; labels have values that need no escape.
    mutating func sample(
        _ labels: KeyValuePairs<String, String>, _ value: Double, suffix: String = ""
    ) {
        let labels = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        text += name + suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(value))\n"
    }

    /// A name with one sample.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample([:], value)
    }

    /// Whole numbers without a point, as people read them; the others as short as they are exact.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
