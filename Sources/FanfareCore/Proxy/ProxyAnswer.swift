import FanfareBase

/// A proxy's answer to CONNECT, read as it comes.
///
/// The tunnel begins behind the head of a 2xx answer, also if its fields announce a body. RFC 9110
/// §9.3.6, RFC 9112 §4
package struct ProxyAnswer: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// The head is not whole; more has to come.
        case incomplete
        /// The tunnel is open; so many of the bytes that were just added belong to the answer.
        case opened(byteCount: Int)
        /// There is no tunnel, and there will be none on this connection.
        case refused(ProxyRefusal)
    }

    /// The longest head of an answer to CONNECT.
    ///
    /// Proxies send some 200 bytes; those that ask for a password list a few ways to prove oneself.
    /// It is twice the usual limit of servers for a head, and each connection that is being set up
    /// has one.
    package static let bytesMax = 16 * 1024
    /// The ways to prove oneself that a message names; proxies offer four at most.
    private static let schemesMax = 8
    /// The longest of their names that a message shows: the longest registered one has 15 letters.
    private static let schemeBytesMax = 24

    private static let prefix = Array("HTTP/1.".utf8)
    private static let challengeName = Array("proxy-authenticate".utf8)

    /// The line that is not at its end yet.
    private var line: [UInt8] = []
    private var byteCount = 0
    /// The status of the head that is being read; 0 while its first line is.
    private var status = 0
    private var schemes: [String] = []

    package init() {}

    /// Takes the next bytes in.
    ///
    /// Do not call it again after another verdict than `incomplete`.
    package mutating func add(_ bytes: some Collection<UInt8>) -> Verdict {
        for (offset, byte) in bytes.enumerated() {
            byteCount += 1
            guard byteCount <= Self.bytesMax else { return .refused(.tooLong) }
            if status == 0, line.count < Self.prefix.count, byte != Self.prefix[line.count] {
                return .refused(.notHTTP(line + bytes.dropFirst(offset).prefix(12)))
            }
            // A lone LF ends a line, too. RFC 9112 §2.2
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let verdict = lineEnded(at: offset + 1) { return verdict }
            line.removeAll(keepingCapacity: true)
        }
        return .incomplete
    }

    private mutating func lineEnded(at offset: Int) -> Verdict? {
        if status == 0 {
            guard let status = Self.status(ofLine: line) else {
                return .refused(.notHTTP(line))
            }
            self.status = status
            // Only a demand for a password goes on to say something of use; switching protocols is
            // no answer to CONNECT.
            let goesOn = (100...299).contains(status) && status != 101 || status == 407
            return goesOn ? nil : .refused(.status(status))
        }
        guard line.isEmpty else {
            if status == 407 { noteChallenge() }
            return nil
        }
        if status == 407 { return .refused(.authentication(schemes: schemes)) }
        if status >= 200 { return .opened(byteCount: offset) }
        // An interim answer; the real one follows. RFC 9110 §15.2
        status = 0
        return nil
    }

    /// Returns the status of a line such as `HTTP/1.1 200 Connection established`.
    private static func status(ofLine line: [UInt8]) -> Int? {
        guard line.count >= 12, (0x30...0x39).contains(line[7]), line[8] == UInt8(ascii: " "),
            line.count == 12 || line[12] == UInt8(ascii: " ")
        else { return nil }
        var status = 0
        for digit in line[9..<12] {
            guard (0x30...0x39).contains(digit) else { return nil }
            status = status * 10 + Int(digit - 0x30)
        }
        return (100...599).contains(status) ? status : nil
    }

    /// Keeps the first word of a field `Proxy-Authenticate`, if it is a word.
    private mutating func noteChallenge() {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            line[..<colon].elementsEqual(Self.challengeName, by: { $0 | 0x20 == $1 || $0 == $1 })
        else { return }
        let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        let word = value.prefix { byte in
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        let text = String(decoding: word, as: UTF8.self)
        guard !word.isEmpty, word.count <= Self.schemeBytesMax, !schemes.contains(text),
            schemes.count < Self.schemesMax
        else { return }
        schemes.append(text)
    }
}
