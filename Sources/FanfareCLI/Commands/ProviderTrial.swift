import Fanfare
import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// `fanfare provider try`: shows the request that rows become, and the meaning of an answer.
struct ProviderTrial {
    private let file: ProviderFile
    private let arguments: ParsedArguments

    init(_ file: ProviderFile, _ arguments: ParsedArguments) {
        self.file = file
        self.arguments = arguments
    }

    func run() throws(CommandError) -> Int32 {
        let rows = try rows()
        let request = try request(of: rows)
        ResultOutput().show(notices: [], warnings: SecretFiles.warnings(arguments))
        var text = Self.shown(request)
        if let source = tokenSource { text = "* \(source)\n" + text }
        if let path = arguments[Options.Declared.answer] {
            text += try meaning(of: answer(path), rows)
        }
        Terminal.print(text)
        return ExitStatus.success.rawValue
    }

    private func failure(_ text: String) -> CommandError {
        .job(FanfareError(.configuration, message: "\(file.name): \(text)"))
    }

    // MARK: Rows

    private func rows() throws(CommandError) -> [KeptRow] {
        let texts = arguments[Options.Declared.row]
        guard !texts.isEmpty else {
            throw arguments.fault(#"try needs a row; write for example --row '{"token":"a1"}'"#)
        }
        var rows: [KeptRow] = []
        for text in texts {
            do throws(JSONError) {
                let object = try PlacedJSONParser().file(Array(text.utf8))
                rows.append(KeptRow(object, columns: file.provider.columns))
            } catch {
                throw arguments.fault(Options.Declared.row, "\(error)")
            }
        }
        return rows
    }

    // MARK: The request

    /// The request with dots in place of secrets; a signature is the real one, if its key is there.
    private func request(of rows: [KeptRow]) throws(CommandError) -> DeclaredRequest {
        let settings = try DeclaredValues(arguments, [file]).settings(of: file)
        let now = WallClock.milliseconds
        let masked = try request(of: rows, settings.masked, now)
        guard case .hmac(let hmac) = file.provider.authorization else { return masked }
        let real = try request(of: rows, settings, now)
        var shown = masked
        shown.fields = masked.fields.map { field in
            field.name == hmac.field ? real.fields.first { $0.name == field.name } ?? field : field
        }
        return shown
    }

    private func request(
        of rows: [KeptRow], _ settings: ProviderSettings, _ milliseconds: Int64
    ) throws(CommandError) -> DeclaredRequest {
        let key = file.provider.idempotency.map { RequestKey.make($0.form, job: "try", row: 1) }
        let renderer = DeclaredRenderer(
            file.provider, settings: settings, milliseconds: milliseconds, requestID: key ?? [],
            isJSON: ProviderFile.isJSON)
        var request: DeclaredRequest
        do throws(DeclaredRowProblem) {
            request = try renderer.request(of: rows)
        } catch {
            throw failure(error.text)
        }
        do throws(RequestProof.Fault) {
            try RequestProof(renderer, settings).add(to: &request, of: rows[0])
        } catch {
            throw failure(error.text)
        }
        return request
    }

    /// The source of the token that is shown as dots; nil if there is no token, or it is made here.
    private var tokenSource: String? {
        func text(_ text: DeclaredText) -> String {
            text.constant.map { String(decoding: $0, as: UTF8.self) } ?? "a setting"
        }
        return switch file.provider.authorization {
        case .none, .header, .basic, .hmac, .jwt: nil
        case .bearerFile(let path): "the token is read from \(text(path))"
        case .serviceAccount(let path, _):
            "the token is asked for with the service account of \(text(path))"
        case .clientCredentials(let exchange), .login(let exchange):
            "the token is asked for at \(text(exchange.url))"
        }
    }

    static func shown(_ request: DeclaredRequest) -> String {
        var text = "> \(request.method) \(request.url)\n"
        for field in request.fields {
            text += "> \(field.name): \(String(decoding: field.value, as: UTF8.self))\n"
        }
        return text + ">\n" + marked(request.body, with: "> ")
    }

    /// Lines with a mark before each.
    private static func marked(_ bytes: [UInt8], with mark: String) -> String {
        guard !bytes.isEmpty else { return "" }
        var text = bytes[...]
        while text.last == UInt8(ascii: "\n") { text.removeLast() }
        return text.lines(markedBy: mark)
    }

    // MARK: The answer

    private func answer(_ path: String) throws(CommandError) -> PastedAnswer {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.declaredAnswerBytesMax)
        } catch {
            throw .job(FanfareError(.input, "\(path) cannot be read: \(error.reason)"))
        }
        var answer = PastedAnswer(bytes)
        if let status = arguments[Options.Declared.status] { answer.status = UInt16(status) }
        return answer
    }

    private func meaning(of answer: PastedAnswer, _ rows: [KeptRow]) -> String {
        let tokens = rows.map { row in
            unsafe row.lend(file.provider.token.column) { _, bytes in unsafe Array(bytes) }
        }
        let reply = file.reply(status: answer.status, body: answer.body)
        let judgement = DeclaredJudge(file.provider.answer).judge(reply, tokens: tokens)
        var text = "\n< \(answer.status)\n<\n" + Self.marked(answer.body, with: "< ") + "\n"
        for (index, row) in judgement.rows.enumerated() {
            text += "row \(index + 1): \(Self.text(of: row))\n"
        }
        if judgement.splits { text += "* the rows are sent again in two halves\n" }
        if judgement.strays > 0 {
            let isOne = judgement.strays == 1
            text +=
                "* the answer names \(judgement.strays) token\(isOne ? "" : "s") that "
                + "\(isOne ? "was" : "were") not sent\n"
        }
        return text
    }

    static func text(of row: DeclaredJudgement.Row) -> String {
        var parts = ["\(row.class.outcome.name)"]
        if !row.reason.isEmpty { parts[0] += " (\(row.reason))" }
        if !row.id.isEmpty { parts.append("id \(row.id)") }
        if row.class.outcome != .accepted { parts.append("sent again: \(row.class.retryText)") }
        if let wait = row.wait, row.class.retry != .never {
            let milliseconds = wait.wholeNanoseconds / 1_000_000
            parts.append(
                "the answer asks for a wait of \(NumberText.duration(milliseconds: milliseconds))")
        }
        return (parts + row.class.effects).joined(separator: "; ")
    }
}

/// An answer as people copy one: its body, or all of it as `curl -i` prints it.
struct PastedAnswer: Equatable {
    var status: UInt16 = 200
    var body: [UInt8]

    init(_ bytes: [UInt8]) {
        body = bytes
        guard bytes.starts(with: "HTTP/".utf8),
            let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return }
        let words = String(decoding: bytes[..<lineEnd], as: UTF8.self).split(separator: " ")
        guard words.count >= 2, let status = UInt16(words[1].prefix { $0.isNumber }) else { return }
        self.status = status
        // An empty line ends the header fields.
        var lines = bytes[(lineEnd + 1)...]
        while let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
            let line = lines[..<end]
            lines = lines[(end + 1)...]
            if line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) { break }
        }
        body = Array(lines)
    }
}
