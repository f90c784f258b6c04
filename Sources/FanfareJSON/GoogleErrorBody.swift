package import FanfareBase
package import FanfareCore

/// A reader of the body of a refusal by FCM, in the form that all services of Google have for it.
///
/// Details are searched by their types, since their order varies. For one thread at a time; stops allocating
/// after the longest body, which `Limits.responseBodyBytes` bounds.
/// Source: https://google.aip.dev/193, https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
@safe
package struct GoogleErrorBody: ~Copyable {
    /// The content of a body; its texts are in the parser's memory.
    package struct Content: Equatable, Sendable {
        package var facts: GoogleErrorFacts
        /// The word of the refusal.
        package var word: ByteRange
        /// The subject of the error in the service's words: the part of the message that is wrong,
        /// or the whole error.
        ///
        /// It is for people; it may repeat what was sent.
        package var detail: ByteRange
        /// The part of the message that is wrong: `message.android.ttl`; empty if none is named.
        package var field: ByteRange
        /// True if the part has a member that the service does not know.
        ///
        /// Its name is never a row's value.
        package var hasUnknownMember: Bool
    }

    private let scanner = JSONScanner()
    private var text = ByteBuffer(capacity: 1024)

    package init() {}

    /// Reads a body; nil when it is not an object with an object `error` in it (a front end's HTML page, half
    /// a body, none).
    package mutating func parse(_ body: UnsafeBufferPointer<UInt8>) -> Content? {
        // A page of HTML needs no parser to be told from an object.
        guard unsafe ShownWords.mayBeObject(body), unsafe scanner.check(body).code == .none else {
            return nil
        }
        var reader = unsafe GoogleErrorReader(scanner.tokens(of: body))
        guard reader.read() else { return nil }
        text.removeAll()
        let word = unsafe append(body, reader.word.range)
        let field = unsafe append(body, reader.field)
        var detail = field
        if reader.field != nil, reader.explanation != nil {
            text.append(": ")
            let explanation = unsafe append(body, reader.explanation)
            detail.count = explanation.start + explanation.count - detail.start
        } else if reader.field == nil {
            detail = unsafe append(body, reader.message)
        }
        return Content(
            facts: reader.facts, word: word, detail: detail, field: field,
            hasUnknownMember: reader.hasUnknownMember)
    }

    /// Returns the bytes of the word or the detail, valid until the next `parse`.
    package func bytes(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
        unsafe text.bytes(range)
    }

    /// Appends the text between the quotes of a string, as it may be shown.
    private mutating func append(
        _ body: UnsafeBufferPointer<UInt8>, _ inside: Range<Int>?
    ) -> ByteRange {
        guard let inside else { return ByteRange(start: text.count, count: 0) }
        let raw = unsafe UnsafeBufferPointer(rebasing: body[inside])
        let hasEscapes = unsafe raw.contains(UInt8(ascii: "\\"))
        if !hasEscapes, raw.count <= Limits.reasonBytesMax, unsafe ShownWords.isPlain(raw) {
            let start = text.count
            unsafe text.append(raw)
            return ByteRange(start: start, count: raw.count)
        }
        let plain = unsafe hasEscapes ? jsonUnescaped(Array(raw)[...]) : Array(raw)
        let clean = unsafe plain.withUnsafeBufferPointer {
            unsafe ShownWords.cleaned($0, bytesMax: Limits.reasonBytesMax)
        }
        return text.keep(clean)
    }
}

/// A reader that finds the facts for the verdict in the tokens of a body.
private struct GoogleErrorReader {
    /// A word and where it was found.
    struct Word {
        var range: Range<Int>?
        var source = GoogleErrorFacts.Source.nothing

        /// Takes another word, if it is nearer to the case; of equals the first one stays.
        mutating func take(_ other: Range<Int>?, from source: GoogleErrorFacts.Source) {
            guard let other, !other.isEmpty, source.rawValue > self.source.rawValue else { return }
            range = other
            self.source = source
        }
    }

    private var tokens: JSONTokens
    private(set) var word = Word()
    private(set) var message: Range<Int>?
    /// The part of the message that is wrong, and its explanation.
    private(set) var field: Range<Int>?
    private(set) var explanation: Range<Int>?
    private var part = GoogleErrorFacts.Part.nothing
    private var quota = GoogleErrorFacts.Quota.nothing

    init(_ tokens: JSONTokens) { self.tokens = tokens }

    /// Reads a whole body; false if it has no error.
    mutating func read() -> Bool {
        var hasError = false
        _ = tokens.takes("{")
        while let key = tokens.nextKey() {
            guard equals(key, "error"), tokens.takes("{") else {
                tokens.skip()
                continue
            }
            hasError = true
            readError()
        }
        return hasError
    }

    var facts: GoogleErrorFacts {
        // A message can repeat what a template has made, so it counts only where no part is named.
        let namesToken = part == .nothing && mentionsToken(message)
        return GoogleErrorFacts(
            source: word.source, part: namesToken ? .token : part, quota: quota)
    }

    var hasUnknownMember: Bool { explanation.map { contains($0, "cannot find field") } ?? false }

    private mutating func readError() {
        while let key = tokens.nextKey() {
            if equals(key, "status") {
                word.take(tokens.string(), from: .status)
            } else if equals(key, "message") {
                message = tokens.string()
            } else if equals(key, "details"), tokens.takes("[") {
                while tokens.hasElement() {
                    if tokens.takes("{") { readDetail() } else { tokens.skip() }
                }
            } else {
                tokens.skip()
            }
        }
    }

    /// Reads one of the details; its type may stand behind the rest.
    private mutating func readDetail() {
        var type: Range<Int>?
        var code: Range<Int>?
        var reason: Range<Int>?
        var violations = Violations()
        while let key = tokens.nextKey() {
            if equals(key, "@type") {
                type = tokens.string()
            } else if equals(key, "errorCode") {
                code = tokens.string()
            } else if equals(key, "reason") {
                reason = tokens.string()
            } else if equals(key, "fieldViolations") || equals(key, "violations"),
                tokens.takes("[")
            {
                violations = readViolations()
            } else {
                tokens.skip()
            }
        }
        guard let type else { return }
        if isType(type, "google.firebase.fcm.v1.FcmError") {
            word.take(code, from: .fcm)
        } else if isType(type, "google.rpc.ErrorInfo") {
            word.take(reason, from: .info)
        } else if isType(type, "google.rpc.BadRequest") {
            take(violations)
        } else if isType(type, "google.rpc.QuotaFailure"), quota == .nothing {
            quota = violations.quota
        }
    }

    // MARK: Violations

    /// The violations of one detail, as those of a BadRequest and as those of a QuotaFailure.
    private struct Violations {
        var part = GoogleErrorFacts.Part.nothing
        var field: Range<Int>?
        var explanation: Range<Int>?
        var quota = GoogleErrorFacts.Quota.nothing
    }

    private mutating func readViolations() -> Violations {
        var violations = Violations()
        while tokens.hasElement() {
            if tokens.takes("{") { readViolation(into: &violations) } else { tokens.skip() }
        }
        return violations
    }

    private mutating func readViolation(into violations: inout Violations) {
        var field: Range<Int>?
        var description: Range<Int>?
        var quota = GoogleErrorFacts.Quota.project
        while let key = tokens.nextKey() {
            if equals(key, "field") {
                field = tokens.string()
            } else if equals(key, "description") {
                description = tokens.string()
            } else if ["subject", "quotaMetric", "quota_metric", "quotaId", "quota_id"]
                .contains(where: { equals(key, $0) })
            {
                guard let text = tokens.string(), quota == .project else { continue }
                if contains(text, "device") {
                    quota = .device
                } else if contains(text, "topic") {
                    quota = .topic
                }
            } else {
                tokens.skip()
            }
        }
        if violations.quota == .nothing || violations.quota == .project { violations.quota = quota }
        guard let field, !field.isEmpty else { return }
        let isToken = equals(field, "message.token") || equals(field, "message.fid")
        // The token's is what counts, then the first one.
        guard violations.part == .nothing || isToken && violations.part == .other else { return }
        violations.part = isToken ? .token : .other
        violations.field = field
        violations.explanation = description
    }

    private mutating func take(_ violations: Violations) {
        guard part == .nothing || violations.part == .token && part == .other else { return }
        part = violations.part
        field = violations.field
        explanation = violations.explanation
    }

    // MARK: Texts

    private func equals(_ inside: Range<Int>, _ text: StaticString) -> Bool {
        let raw = unsafe UnsafeBufferPointer(rebasing: tokens.bytes[inside])
        if unsafe text.equals(raw) { return true }
        // No known server writes these with escapes, but it would be the same name.
        guard unsafe raw.contains(UInt8(ascii: "\\")) else { return false }
        return unsafe jsonUnescaped(Array(raw)[...]).withUnsafeBufferPointer {
            unsafe text.equals($0)
        }
    }

    /// True if a type's URL ends with this name.
    private func isType(_ inside: Range<Int>, _ name: StaticString) -> Bool {
        let slash = unsafe tokens.bytes[inside].lastIndex(of: UInt8(ascii: "/"))
        return equals((slash.map { $0 + 1 } ?? inside.lowerBound)..<inside.upperBound, name)
    }

    private func mentionsToken(_ inside: Range<Int>?) -> Bool {
        inside.map { contains($0, "registration token") } ?? false
    }

    /// True if a text has a word of small letters and blanks in it, with letters of either case.
    private func contains(_ inside: Range<Int>, _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard inside.count >= count else { return false }
        return (inside.lowerBound...inside.upperBound - count).contains { start in
            (0..<count).allSatisfy {
                unsafe tokens.bytes[start + $0] | 0x20 == word.utf8Start[$0]
            }
        }
    }
}
