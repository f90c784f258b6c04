import FanfareBase
import FanfarePostgres
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare
@testable import FanfareCLI
@testable import FanfareCore
@testable import FanfareFigures
@testable import FanfareSQLite
@testable import FanfareSimulator

/// Every function that puts a text from anywhere into a language: what the language reads is the text.
///
/// SQLite, the shell and Foundation's JSON read for themselves; the others are read here by the rules of their
/// documents, byte by byte. `FANFARE_COUNT` has the number of batches.
@Suite struct EscaperTests {
    private struct Fault: Error {}

    /// Calls a function with each batch of texts.
    private func forEachBatch(_ body: ([String]) throws -> Void) rethrows {
        let choice = SeedChoice(usual: 200)
        for seed in choice.seeds {
            if choice.isOver { break }
            try body(HostileTexts.batch(seed: seed))
        }
    }

    /// Checks that what is read of each text is the text.
    private func check(
        _ read: (String) throws -> [UInt8], _ expected: (String) -> [UInt8] = { Array($0.utf8) }
    ) {
        forEachBatch { texts in
            for text in texts where (try? read(text)) != expected(text) {
                Issue.record("\(Self.shown(text))")
            }
        }
    }

    private static func shown(_ text: String) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }

    /// Returns a text but for U+FEFF, which Foundation drops from a string of JSON behind an escape.
    private static func withoutMark(_ text: String) -> [UInt8] {
        let mark: Unicode.Scalar = "\u{FEFF}"
        return text.unicodeScalars.filter { $0 != mark }.flatMap { Array(String($0).utf8) }
    }

    // MARK: Read by others

    @Test(arguments: ["\"" as Unicode.Scalar, "'"])
    func `a name and a text of SQL are what SQLite reads`(quote: Unicode.Scalar) throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase(folder.path("a.db"), .building, patience: 0)
        try forEachBatch { texts in
            let list = texts.map { text in
                quote == "'"
                    ? text.quoted(doubling: quote) : "1 AS \(SQLiteQuery.quoted(text))"
            }
            let statement = try SQLiteStatement(
                "SELECT \(list.joined(separator: ", "))", in: database)
            #expect(try statement.step())
            for (column, text) in texts.enumerated() {
                var read = statement.columns[column]
                if quote == "'" {
                    guard case .text(let bytes) = statement.value(column) else { throw Fault() }
                    read = String(decoding: bytes, as: UTF8.self)
                }
                let isSame = read.utf8.elementsEqual(text.utf8)
                #expect(isSame, "\(Self.shown(text))")
            }
        }
    }

    @Test func `a word of a command is what the shell reads`() throws {
        let folder = try TemporaryFolder()
        var waiting: [String] = []
        func run() throws {
            guard !waiting.isEmpty else { return }
            let words = waiting.map { "\($0.quotedForShell) \($0.singleQuoted)" }
            let script = "cd /\nprintf '%s\\0' \(words.joined(separator: " "))\n"
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = [try folder.write(script, to: "script")]
            let output = Pipe()
            shell.standardOutput = output
            try shell.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            shell.waitUntilExit()
            let expected = waiting.map { "\($0)\0\($0)\0" }.joined().utf8
            let isSame = said.elementsEqual(expected)
            #expect(isSame, "\(said.count) bytes for \(expected.count)")
            waiting = []
        }
        try forEachBatch { texts in
            waiting += texts
            if waiting.count >= 5000 { try run() }
        }
        try run()
    }

    @Test func `a string of JSON is what Foundation reads`() throws {
        try forEachBatch { texts in
            let written = JSONWriter.document { $0.member("texts", texts) }
            var reported = ByteBuffer()
            for text in texts {
                reported.append(reported.count == 0 ? "[" : ",")
                reported.appendJSONString(Array(text.utf8))
            }
            reported.append("]")
            let alerts = "[\(texts.map { AlertFlags.quoted($0) }.joined(separator: ","))]"
            let documents = [Data(written.utf8), Data(reported.bytes), Data(alerts.utf8)]
            for document in documents {
                let read = try JSONSerialization.jsonObject(with: document)
                let words = (read as? [String: Any])?["texts"] ?? read
                let isSame =
                    (words as? [String])?.map(Self.withoutMark) == texts.map(Self.withoutMark)
                #expect(isSame, "\(texts.map(Self.shown))")
            }
        }
    }

    // RFC 3986 §2; https://url.spec.whatwg.org/#urlencoded-parsing
    @Test(arguments: [true, false])
    func `a value in a path or a form is what the simulator reads`(isForm: Bool) {
        check { text in
            var buffer = ByteBuffer()
            DeclaredRenderer.append(Array(text.utf8), isForm ? .form : .path, to: &buffer)
            let part = String(decoding: buffer.bytes, as: UTF8.self)
            let isOnePart = !part.utf8.contains {
                "/?#&=; ".utf8.contains($0) || !(0x21..<0x7F).contains($0)
            }
            guard isOnePart else { throw Fault() }
            return Array(FormText.decoded(part).utf8)
        }
    }

    // MARK: Read by the rules

    // https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-STRINGS-ESCAPE
    @Test func `a literal for PostgreSQL ends where it ends`() {
        check { text in
            var rest = Array(PostgresConnection.literal(text).utf8)[...]
            guard rest.starts(with: "E'".utf8) else { throw Fault() }
            rest = rest.dropFirst(2)
            var read: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "'"):
                    guard !rest.isEmpty else { return read }
                    guard rest.popFirst() == byte else { throw Fault() }
                    read.append(byte)
                case UInt8(ascii: "\\"):
                    // Another letter would stand for another character.
                    guard rest.popFirst() == byte else { throw Fault() }
                    read.append(byte)
                default: read.append(byte)
                }
            }
            throw Fault()
        }
        #expect(PostgresConnection.literal("a\0b") == "E'ab'")
    }

    // https://prometheus.io/docs/instrumenting/exposition_formats/
    @Test func `a label of Prometheus is one line, and ends where it ends`() {
        check { text in
            var metrics = MetricsText()
            metrics.family("m", .gauge, "h")
            metrics.sample(["name": text], 1)
            let beginning = "# HELP m h\n# TYPE m gauge\nm{name=\""
            var rest = Array(metrics.text.utf8)[...]
            guard rest.starts(with: beginning.utf8) else { throw Fault() }
            rest = rest.dropFirst(beginning.utf8.count)
            var read: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                guard byte != UInt8(ascii: "\n") else { throw Fault() }
                guard byte == UInt8(ascii: "\\") else {
                    read.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case UInt8(ascii: "\\"): read.append(UInt8(ascii: "\\"))
                case UInt8(ascii: "\""): read.append(UInt8(ascii: "\""))
                case UInt8(ascii: "n"): read.append(UInt8(ascii: "\n"))
                default: throw Fault()
                }
            }
            guard rest.elementsEqual("} 1\n".utf8) else { throw Fault() }
            return read
        }
    }

    // https://api.slack.com/reference/surfaces/formatting#escaping
    @Test func `a line for Slack has no markup`() {
        check { text in
            let end = JobEnd(.failed, exitCode: 4, json: "{}", lines: [text])
            guard
                let object = try JSONSerialization.jsonObject(with: Data(end.body(.slack)))
                    as? [String: Any], let words = object["text"] as? String
            else { throw Fault() }
            let heading = "*fanfare has failed, exit code 4*\n"
            guard words.utf8.starts(with: heading.utf8) else { throw Fault() }
            let read = try Self.unmarked(
                words.utf8.dropFirst(heading.utf8.count),
                ["amp": "&", "lt": "<", "gt": ">"], forbidden: "<>")
            return Self.withoutMark(String(decoding: read, as: UTF8.self))
        } _: {
            Self.withoutMark($0)
        }
    }

    // https://html.spec.whatwg.org/multipage/parsing.html#data-state
    @Test func `a path in a page of the simulator makes no element`() {
        check { text in
            let page = Array(GoogleAnswer.notServed(text).body)
            guard let start = page.firstRange(of: "URL <code>".utf8),
                let end = page.firstRange(of: "</code> was not found".utf8)
            else { throw Fault() }
            return try Self.unmarked(
                page[start.upperBound..<end.lowerBound], ["amp": "&", "lt": "<"], forbidden: "<")
        }
    }

    /// Characters that a page must not have become U+FFFD, and line ends blanks.
    @Test func `a text and an attribute of a page make no element`() {
        check { text in
            var markup = Markup()
            markup.element("p", .init("title", text), text: text)
            let page = markup.finish()
            guard page.starts(with: "<p title=\"".utf8), page.suffix(4).elementsEqual("</p>".utf8),
                let middle = page.firstRange(of: "\">".utf8)
            else { throw Fault() }
            let entities: [String: Unicode.Scalar] = [
                "amp": "&", "lt": "<", "gt": ">", "quot": "\"",
            ]
            let inside = [page[10..<middle.lowerBound], page[middle.upperBound...].dropLast(4)]
            for part in inside {
                let read = try Self.unmarked(part, entities, forbidden: "<>\"")
                let scalars = String(decoding: read, as: UTF8.self).unicodeScalars
                guard scalars.count == text.unicodeScalars.count,
                    zip(scalars, text.unicodeScalars).allSatisfy({ shown, given in
                        shown == given || shown == "\u{FFFD}"
                            || shown == " " && (given == "\n" || given == "\t")
                    })
                else { throw Fault() }
            }
            return Array(text.utf8)
        }
    }

    /// Replaces entities by their characters.
    private static func unmarked(
        _ bytes: some Sequence<UInt8>, _ entities: [String: Unicode.Scalar], forbidden: String
    ) throws -> [UInt8] {
        var rest = Array(bytes)[...]
        var read: [UInt8] = []
        while let byte = rest.popFirst() {
            guard !forbidden.utf8.contains(byte) else { throw Fault() }
            guard byte == UInt8(ascii: "&") else {
                read.append(byte)
                continue
            }
            let name = rest.prefix { $0 != UInt8(ascii: ";") }
            guard let meant = entities[String(decoding: name, as: UTF8.self)] else { throw Fault() }
            read.append(UInt8(ascii: meant))
            rest = rest.dropFirst(name.count + 1)
        }
        return read
    }

    // RFC 4180 §2
    @Test func `a token that was typed and a field of a report are one field of CSV`() {
        check { text in
            let typed = Array(text.quoted(doubling: "\"").utf8)
            var reported = ByteBuffer()
            reported.appendCSVField(Array(text.utf8))
            let fields = [try Self.field(typed), try Self.field(Array(reported.bytes))]
            guard fields[0] == fields[1] else { throw Fault() }
            return fields[0]
        }
    }

    private static func field(_ bytes: [UInt8]) throws -> [UInt8] {
        var rest = bytes[...]
        guard rest.first == UInt8(ascii: "\"") else {
            guard !bytes.contains(where: { "\",\r\n".utf8.contains($0) }) else { throw Fault() }
            return bytes
        }
        rest.removeFirst()
        var read: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                guard !rest.isEmpty else { return read }
                guard rest.popFirst() == byte else { throw Fault() }
            }
            read.append(byte)
        }
        throw Fault()
    }

    // Source: roff(7), mandoc_char(7)
    @Test func `a text of the manual is no request, and its words no macros`() {
        func words(_ text: some StringProtocol) -> [[UInt8]] {
            Array(text.utf8).split(separator: 0x20).map { Array($0) }
        }
        check { text in
            var (literal, running, labels) = (RoffText(), RoffText(), RoffText())
            literal.literal([text])
            running.paragraph(text)
            labels.item([("Fl", text)])
            let display = literal.text.split(separator: "\n", omittingEmptySubsequences: false)
            guard display.count == 4, display[0] == ".Bd -literal -offset indent",
                display[2] == ".Ed",
                display[3].isEmpty
            else { throw Fault() }
            let lines = running.text.split(separator: "\n")
            let said = try (display[1...1] + lines).map { line in
                guard line.utf8.first.map({ !".'".utf8.contains($0) }) ?? true else {
                    throw Fault()
                }
                return try Self.withoutRoff(line)
            }
            let label = try labels.text.dropFirst(".It Fl".count).dropLast().split(separator: " ")
                .map {
                    // Behind it no word is a macro's name, or punctuation.
                    guard $0.hasPrefix("\\&"), !$0.utf8.contains(UInt8(ascii: "\"")) else {
                        throw Fault()
                    }
                    return try Self.withoutRoff($0)
                }
            let expected = text.onOneLine
            guard labels.text.hasPrefix(".It Fl"), said[0].elementsEqual(expected.utf8),
                said.dropFirst().flatMap({ words(String(decoding: $0, as: UTF8.self)) })
                    == words(expected),
                label == words(expected)
            else { throw Fault() }
            return Array(text.utf8)
        }
    }

    /// Replaces the escapes of roff by their characters.
    private static func withoutRoff(_ text: some StringProtocol) throws -> [UInt8] {
        let names = [
            "e": "\\", "-": "-", "&": "", "(aq": "'", "(ga": "`", "(ha": "^", "(ti": "~",
            "(dq": "\"",
        ]
        var rest = Array(text.utf8)[...]
        var read: [UInt8] = []
        while let byte = rest.popFirst() {
            guard (0x20..<0x7F).contains(byte) else { throw Fault() }
            guard byte == UInt8(ascii: "\\") else {
                read.append(byte)
                continue
            }
            if rest.starts(with: "[u".utf8) {
                let digits = String(
                    decoding: rest.dropFirst(2).prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self)
                guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
                    throw Fault()
                }
                read += String(scalar).utf8
                rest = rest.dropFirst(3 + digits.utf8.count)
            } else {
                guard let name = names.first(where: { rest.starts(with: $0.key.utf8) }) else {
                    throw Fault()
                }
                read += name.value.utf8
                rest = rest.dropFirst(name.key.utf8.count)
            }
        }
        return read
    }

    /// A line of the stream ends with CR, LF or both.
    ///
    /// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
    @Test func `a message to a page is one message`() {
        func lines(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
            Array(bytes).replacing("\r\n".utf8, with: "\n".utf8)
                .split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }
                .map { Array($0) }
        }
        check { text in
            var message = lines(StreamMessage("figures", text).text.utf8)[...]
            guard message.popFirst() == Array("event: figures".utf8), message.popLast() == [],
                message.popLast() == [], message.allSatisfy({ $0.starts(with: "data: ".utf8) })
            else { throw Fault() }
            return Array(message.map { $0.dropFirst(6) }.joined(separator: [0x0A]))
        } _: {
            Array(lines($0.utf8).joined(separator: [0x0A]))
        }
    }
}
