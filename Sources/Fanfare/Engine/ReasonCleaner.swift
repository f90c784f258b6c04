import FanfareBase
import FanfareCore
import FanfareTLS

/// The place where a provider's words about a row come in: what must not be shown is taken out of them.
///
/// Behind it they go into the report, the log, the summary, the page, notices and the terminal. A provider may
/// repeat the row's token, which `--report-token` may hide, or a secret that it was sent.
@safe
struct ReasonCleaner: ~Copyable {
    private var mask = WordMask()
    private let secrets: [Secret]
    /// The texts that differ from the provider's: one for the row whose answer it is, one for any other row of
    /// its request, one for an id.
    private var first = ByteBuffer(capacity: 0)
    private var other = ByteBuffer(capacity: 0)
    private var id = ByteBuffer(capacity: 0)
    /// The provider's words about the row whose answer it is, and what has become of them.
    private var firstWords = unsafe (
        UnsafeBufferPointer<UInt8>.empty, cleaned: UnsafeBufferPointer<UInt8>.empty
    )

    init(_ secrets: [Secret]) { self.secrets = secrets }

    /// True if an attempt may have something in it that must not be shown.
    ///
    /// Words of the tables have not. Ids are short, and tokens mostly longer: a look at each accepted row would
    /// cost more than it finds.
    @inline(__always)
    func mustClean(_ attempt: Attempt, of row: borrowing PreparedRow) -> Bool {
        unsafe !attempt.reason.isEmpty && attempt.class.reasonIndex == .unlisted
            || attempt.messageID.count >= max(Int(row.token.count), Limits.maskedPieceBytes)
    }

    /// Cleans an attempt's reason and id.
    /// - Parameters:
    ///   - attempt: The attempt; it borrows from the cleaner until the next one.
    ///   - row: Its row.
    ///   - credential: The credential of its connection.
    mutating func clean(
        _ attempt: inout Attempt, of row: borrowing PreparedRow, _ credential: Credential?
    ) {
        if unsafe !attempt.reason.isEmpty { cleanReason(&attempt, of: row, credential) }
        if unsafe attempt.messageID.count >= Int(row.token.count) { cleanID(&attempt, of: row) }
    }

    private mutating func cleanReason(
        _ attempt: inout Attempt, of row: borrowing PreparedRow, _ credential: Credential?
    ) {
        let reason = unsafe attempt.reason
        var text = unsafe withoutSecrets(reason, credential)
        unsafe remove(row.bytes.bytes(row.token), as: "[token]", from: reason, &text)
        unsafe TokenList.each(row.bytes.bytes(row.otherTokens)) { token in
            unsafe remove(token, as: "[token]", from: reason, &text)
        }
        if let text {
            first.removeAll()
            first.append(text)
            unsafe attempt.reason = first.bytes
        }
        unsafe firstWords = (reason, cleaned: attempt.reason)
    }

    private mutating func cleanID(_ attempt: inout Attempt, of row: borrowing PreparedRow) {
        var text: [UInt8]?
        unsafe remove(
            row.bytes.bytes(row.token), as: "[token]", from: attempt.messageID, &text)
        guard let text else { return }
        id.removeAll()
        id.append(text)
        unsafe attempt.messageID = id.bytes
    }

    /// Cleans the attempt of another row of the request whose answer was cleaned last.
    mutating func cleanShared(
        _ attempt: inout Attempt, of row: borrowing PreparedRow, _ credential: Credential?
    ) {
        let reason = unsafe attempt.reason
        guard !reason.isEmpty else { return }
        // The same words may be about a token of any row of the request.
        if unsafe reason.elementsEqual(firstWords.0) {
            return unsafe attempt.reason = firstWords.cleaned
        }
        var text = unsafe withoutSecrets(reason, credential)
        unsafe remove(row.bytes.bytes(row.token), as: "[token]", from: reason, &text)
        guard let text else { return }
        other.removeAll()
        other.append(text)
        unsafe attempt.reason = other.bytes
    }

    /// Returns a provider's words that are about no row.
    mutating func cleaned(
        _ words: UnsafeBufferPointer<UInt8>, _ credential: Credential?
    ) -> UnsafeBufferPointer<UInt8> {
        guard let text = unsafe withoutSecrets(words, credential) else { return unsafe words }
        other.removeAll()
        other.append(text)
        return unsafe other.bytes
    }

    private mutating func withoutSecrets(
        _ words: UnsafeBufferPointer<UInt8>, _ credential: Credential?
    ) -> [UInt8]? {
        var text: [UInt8]?
        for secret in secrets {
            unsafe secret.withBytes { bytes in
                unsafe remove(
                    bytes, as: "[secret]", shortest: Limits.maskedSecretBytes, from: words, &text)
            }
        }
        if var credential = credential?.text {
            credential.withUTF8 { bytes in
                unsafe remove(bytes, as: "[secret]", from: words, &text)
            }
        }
        return text
    }

    /// Removes a word from a text, or from what has become of it.
    private mutating func remove(
        _ word: UnsafeBufferPointer<UInt8>, as name: StaticString,
        shortest: Int = Limits.maskedPieceBytes, from words: UnsafeBufferPointer<UInt8>,
        _ text: inout [UInt8]?
    ) {
        guard let current = text else {
            text = unsafe mask.removing(word, from: words, shortest: shortest, as: name)
            return
        }
        let next = unsafe current.withUnsafeBufferPointer { current in
            unsafe mask.removing(word, from: current, shortest: shortest, as: name)
        }
        if let next { text = next }
    }
}

extension Limits {
    /// The shortest secret that is looked for in a provider's words; there are ordinary words of three letters
    /// everywhere.
    static let maskedSecretBytes = 4
}
