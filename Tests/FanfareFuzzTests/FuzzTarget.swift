/// One reader of foreign bytes, and what must hold for any of them.
///
/// Called by libFuzzer (`dev/fuzz`) millions of times, and by `CorpusTests` with each input that is kept.
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs beyond this length say nothing new.
    let bytesMax: Int
    let check: @Sendable ([UInt8]) throws(Violation) -> Void

    init(
        _ name: String, bytesMax: Int = 4096,
        check: @escaping @Sendable ([UInt8]) throws(Violation) -> Void
    ) {
        self.name = name
        self.bytesMax = bytesMax
        self.check = check
    }

    static let all: [FuzzTarget] = [
        .client, .frames, .fields, .csv, .ndjson, .template, .checkpoint, .report, .records,
        .proxy, .refusal, .options, .scenario, .zone, .control, .metrics, .googleError,
        .credential, .tokenAnswer, .answer, .provider, .verdict, .jobStatus, .cluster,
    ]
}

/// Something that must hold and does not.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func check(
        _ condition: Bool, _ text: @autoclosure () -> String
    ) throws(Violation) {
        if !condition { throw Violation(text()) }
    }
}

/// The ways to cut bytes into the pieces in which they come.
enum Pieces {
    /// Whole, at one place that the bytes themselves choose, and byte by byte.
    static func ways(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
        let place = bytes.isEmpty ? 0 : bytes.reduce(0) { $0 &* 31 &+ Int($1) } % bytes.count
        return [
            [bytes[...]], [bytes[..<abs(place)], bytes[abs(place)...]],
            bytes.indices.map { bytes[$0...$0] },
        ]
    }
}

/// Takes settings off the front of an input.
struct InputReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; 0 at the end.
    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
