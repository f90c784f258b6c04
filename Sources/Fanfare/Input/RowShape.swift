import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// What rows must have in common to make one input together.
struct RowShape: Equatable {
    var format: RowFormat
    /// The columns of CSV, in order; empty for NDJSON.
    var columns: [String] = []
    /// The delimiter of CSV.
    var delimiter: UInt8?

    /// How another shape differs from this one, for a message.
    func difference(to other: RowShape) -> String {
        if format != other.format { return "one is CSV and one is NDJSON" }
        return columns != other.columns
            ? "their columns differ" : "their fields are separated differently"
    }
}

/// What the first input begins with, and whether the others fit to it.
extension RowSource {
    /// Takes note of the shape of an input that is being opened.
    ///
    /// The first one's header is kept as it stands, with what is before it.
    func opened(_ name: String, _ shape: RowShape, header: ArraySlice<UInt8>) throws(FanfareError) {
        guard let first else {
            first = FirstInput(name: name, shape: shape, header: Array(header))
            return
        }
        guard wantsOneShape, first.shape != shape else { return }
        throw FanfareError(
            .input,
            "the rows of \(first.name) and \(name) cannot go into one \(.retryRowsPath) file: "
                + Statement(first.shape.difference(to: shape)) + "; send them in two jobs")
    }

    /// Looks at the beginning of each input behind the first one that can be looked at twice, so that what
    /// is wrong with it is told before anything is sent.
    ///
    /// Of a pipe that would be the end.
    func lookAhead() throws(FanfareError) {
        guard let first = inputs.first else { return }
        for input in inputs.dropFirst() where input != first && canBeLookedAt(input) {
            let probe = RowSource(
                inputs: [input], options: options, schema: schema, required: required,
                wantsOneShape: wantsOneShape)
            probe.findsOtherNames = findsOtherNames
            probe.allowsBareTokens = allowsBareTokens
            if wantsOneShape { probe.first = self.first }
            _ = try probe.openNext()
            notices += probe.notices
        }
    }

    private func canBeLookedAt(_ input: RowInput) -> Bool {
        switch input {
        case .file(let path): FileDescriptor.isRegularFile(path)
        case .memory, .sqlite: true
        case .generated: wantsOneShape
        case .standardInput, .sequence: false
        }
    }
}

/// How the first input begins.
struct FirstInput {
    var name: String
    var shape: RowShape
    /// The header row and all before it, byte for byte and with a line end; empty without one.
    var header: [UInt8]

    init(name: String, shape: RowShape, header: [UInt8]) {
        self.name = name
        self.shape = shape
        self.header = header
        // The last line of a file may go without its end, but not in front of rows.
        if let last = header.last, last != UInt8(ascii: "\n") {
            self.header.append(UInt8(ascii: "\n"))
        }
    }
}

extension RowFormat {
    /// The format that a file's name tells, if it does.
    ///
    /// Whether it is compressed stands behind: `rows.csv.gz`.
    init?(ofPath path: String) {
        let name = CompressionFormat.split(path).name.lowercased()
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") {
            self = .csv
        } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }
}
