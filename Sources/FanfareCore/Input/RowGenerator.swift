package import FanfareBase

/// A generator of rows that look like a real token list: equal seeds give equal bytes.
///
/// The names make a reader work: some are not ASCII, some have an apostrophe, a comma or quotes.
package struct RowGenerator: Sendable {
    package enum Format: Sendable, CaseIterable {
        case csv
        case ndjson
    }

    /// The names of the values, in their order; with a mix, `provider` stands before them.
    package static let columns = ["token", "name", "segment", "badge", "id"]

    private static let segments: [StaticString] = ["trial", "basic", "premium", "lapsed"]
    private static let badgeMax: UInt64 = 20

    /// The first number of each row.
    ///
    /// No two are equal, so no two tokens are.
    private var tokens: SplitMix64
    private var row: UInt64 = 0
    private let mix: RowMix?
    private let csvNames: [[UInt8]]
    private let jsonNames: [[UInt8]]

    /// Prepares to write rows from row 1.
    /// - Parameters:
    ///   - seed: Equal seeds give equal rows.
    ///   - mix: The shares of the providers, which a column of its own names; nil for APNs alone
    ///     and no such column. The other values of a row are the same with any mix.
    package init(seed: UInt64, mix: RowMix? = nil) {
        self.mix = mix
        tokens = SplitMix64(seed: seed)
        csvNames = Self.names.map { Array(Self.csvValue($0).utf8) }
        jsonNames = Self.names.map { Array(Self.jsonString($0).utf8) }
    }

    /// Appends the row of column names.
    ///
    /// NDJSON has none.
    package func appendHeader(format: Format, into output: inout ByteBuffer) {
        guard format == .csv else { return }
        if mix != nil { output.append("provider,") }
        output.append(Self.columns.joined(separator: ","))
        output.append("\n")
    }

    /// Appends the next rows, each with its line end.
    package mutating func appendRows(
        count: Int, format: Format, into output: inout ByteBuffer
    ) {
        for _ in 0..<count {
            row += 1
            let first = tokens.next()
            let provider = mix?.provider(ofRow: first)
            var choices = SplitMix64(seed: first)
            switch format {
            case .csv: appendCSVRow(first, provider, &choices, into: &output)
            case .ndjson: appendJSONRow(first, provider, &choices, into: &output)
            }
        }
    }

    private func appendCSVRow(
        _ first: UInt64, _ provider: ProviderKind?, _ choices: inout SplitMix64,
        into output: inout ByteBuffer
    ) {
        if let provider {
            output.append(provider.rawValue)
            output.append(",")
        }
        appendToken(first, provider, &choices, into: &output)
        output.append(",")
        append(csvNames[choices.below(csvNames.count)], into: &output)
        output.append(",")
        output.append(Self.segments[choices.below(Self.segments.count)])
        output.append(",")
        output.append(decimal: choices.next() % (Self.badgeMax + 1))
        output.append(",u")
        output.append(decimal: row)
        output.append("\n")
    }

    private func appendJSONRow(
        _ first: UInt64, _ provider: ProviderKind?, _ choices: inout SplitMix64,
        into output: inout ByteBuffer
    ) {
        output.append("{")
        if let provider {
            output.append("\"provider\":\"")
            output.append(provider.rawValue)
            output.append("\",")
        }
        output.append("\"token\":\"")
        appendToken(first, provider, &choices, into: &output)
        output.append("\",\"name\":")
        append(jsonNames[choices.below(jsonNames.count)], into: &output)
        output.append(",\"segment\":\"")
        output.append(Self.segments[choices.below(Self.segments.count)])
        output.append("\",\"badge\":")
        output.append(decimal: choices.next() % (Self.badgeMax + 1))
        output.append(",\"id\":\"u")
        output.append(decimal: row)
        output.append("\"}\n")
    }

    /// Appends a token as the provider has them; for APNs 32 bytes in hex, the size of today's.
    private func appendToken(
        _ first: UInt64, _ provider: ProviderKind?, _ choices: inout SplitMix64,
        into output: inout ByteBuffer
    ) {
        if provider == .fcm {
            // Three numbers, as for a token of APNs, so that the rest of the row is what it would be.
            var random = SplitMix64(seed: choices.next() ^ choices.next() ^ choices.next())
            return RegistrationTokenGenerator.append(first, &random, into: &output)
        }
        appendHex(first, into: &output)
        for _ in 0..<3 { appendHex(choices.next(), into: &output) }
    }

    private func appendHex(_ value: UInt64, into output: inout ByteBuffer) {
        let space = unsafe output.space(16)
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 0xF
            unsafe space[index] =
                digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
        output.commit(16)
    }

    private func append(_ bytes: [UInt8], into output: inout ByteBuffer) {
        output.append(bytes)
    }

    /// Returns a value as CSV has it: in quotes if it has a comma, a quote or a line end.
    private static func csvValue(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return quoted(text, escaping: ["\""], with: "\"")
    }

    private static func jsonString(_ text: String) -> String {
        quoted(text, escaping: ["\"", "\\"], with: "\\")
    }

    private static func quoted(
        _ text: String, escaping special: Set<Character>, with escape: Character
    ) -> String {
        var result = "\""
        for character in text {
            if special.contains(character) { result.append(escape) }
            result.append(character)
        }
        return result + "\""
    }

    /// 64 names, so that a choice takes six bits and rows differ in length as they do in life.
    private static let names = [
        "Aaliyah", "Ada", "Alejandro", "Amara", "Ana", "André", "Anaïs", "Ayşe", "Beatriz", "Björn",
        "Bo", "Bronisława", "Chidi", "Chloé", "Christopher", "D'Arcy", "Daniel", "Diego",
        "Dmitri \"Dima\"", "Dvořák", "Elif", "Emma", "Fatima", "François", "Gabriel", "Grace",
        "Hana", "Hiroshi", "Ingrid", "Isabella", "Iván", "Jack", "João", "José", "Kai", "Katarzyna",
        "Kofi", "Léa", "Liam", "Lucía", "Łukasz", "Maria", "Mateo", "Mia", "Mohammed", "Noah",
        "Noël", "O'Brien", "Olga", "Oliver", "Ömer", "Priya", "Quinn", "Ren", "Robert Smith, Jr.",
        "Sofía", "Søren", "T'Pol", "Thi", "Williams, PhD", "Zoë", "Ольга", "Παναγιώτης", "雨桐",
    ]
}

extension SplitMix64 {
    /// Returns a number below a bound that is small against 2⁶⁴, so that the remainder is as good
    /// as fair.
    fileprivate mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(bound))
    }
}
