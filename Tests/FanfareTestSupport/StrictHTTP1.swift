/// A second reader of HTTP/1.1 answers: slow, all bytes at once, and strict by the letter of RFC 9112.
///
/// It shares nothing with the product's, not even bounds, so that what both say of a message is likely to be
/// right. A message counts as far as it is there: a line that is not at its end says nothing, but for
/// the first bytes of a status line.
package struct StrictHTTP1 {
    package enum Verdict: Equatable {
        /// No strict reader takes it for an answer.
        case refused
        /// More has to come; the status is 0 while the head is not whole.
        case unfinished(status: Int, body: [UInt8])
        /// - isLast: The connection has no further answer.
        /// - used: The bytes that belong to it.
        case whole(status: Int, body: [UInt8], isLast: Bool, used: Int)
    }

    /// Thrown where bytes end, or cannot be right.
    private enum Stop: Error {
        case refused, unfinished
    }

    private let bytes: [UInt8]
    private var place = 0

    // The known parts of the answer.
    private var status = 0
    private var body: [UInt8] = []
    private var isLast = false

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads what a server has sent behind one request.
    /// - Parameters:
    ///   - bytes: All of it.
    ///   - isHead: True if the request's method was HEAD.
    ///   - isClosed: True if the connection has ended behind it, in good order.
    /// - Returns: The first answer in it.
    package static func read(
        _ bytes: [UInt8], isHead: Bool = false, isClosed: Bool = false
    ) -> Verdict {
        var reader = StrictHTTP1(bytes)
        do {
            try reader.readAnswer(isHead: isHead, isClosed: isClosed)
        } catch Stop.refused {
            return .refused
        } catch {
            return .unfinished(status: reader.status, body: reader.body)
        }
        return .whole(
            status: reader.status, body: reader.body, isLast: reader.isLast, used: reader.place)
    }

    private mutating func readAnswer(isHead: Bool, isClosed: Bool) throws {
        var heads = 0
        while true {
            let head = try readHead()
            if head.closes { isLast = true }
            guard head.status < 200 else { return try readContent(head, isHead, isClosed) }
            heads += 1
            // 101 agrees to something that was not asked for; the others announce nothing.
            if head.status == 101 || !head.lengths.isEmpty || !head.codings.isEmpty || heads > 32 {
                throw Stop.refused
            }
        }
    }

    // MARK: Lines

    /// The next line without its end.
    private mutating func line(bytesMax: Int) throws -> [UInt8] {
        let rest = bytes[place...]
        guard let end = rest.firstIndex(of: 10) else {
            throw rest.count > bytesMax ? Stop.refused : Stop.unfinished
        }
        let text = Array(rest[..<end])
        // CR is there once, at the end.
        guard text.count + 1 <= bytesMax, text.firstIndex(of: 13) == text.count - 1 else {
            throw Stop.refused
        }
        place = end + 1
        return text.dropLast()
    }

    private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 9 || $0 >= 32 && $0 != 127 }
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { $0 < 128 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static let tokenCharacters = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    // MARK: Heads

    private struct Head {
        var status = 0
        var minor = 0
        var lengths: [[UInt8]] = []
        var codings: [String] = []
        var closes = false
        var fieldCount = 0
        var byteCount = 0
    }

    private static let headBytesMax = 65_536

    private mutating func readHead() throws -> Head {
        var head = Head()
        for (byte, expected) in zip(bytes[place...], "HTTP/".utf8) where byte != expected {
            throw Stop.refused
        }
        let first = try line(bytesMax: Self.headBytesMax)
        head.byteCount = first.count + 2
        let words = first.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, Self.isText(first) else { throw Stop.refused }
        let version = Array(words[0])
        guard version.count == 8, version[5...6].elementsEqual("1.".utf8),
            let minor = Int(Self.text([version[7]])), words[1].count == 3,
            words[1].allSatisfy({ (48...57).contains($0) }),
            let status = Int(Self.text(words[1])), status >= 100
        else { throw Stop.refused }
        head.minor = minor
        head.status = status
        head.closes = minor == 0
        try readFields(into: &head, isTrailer: false)
        return head
    }

    private mutating func readFields(into head: inout Head, isTrailer: Bool) throws {
        while true {
            let line = try line(bytesMax: Self.headBytesMax - head.byteCount)
            head.byteCount += line.count + 2
            guard !line.isEmpty else { return }
            head.fieldCount += 1
            let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty,
                Self.tokenCharacters.isSuperset(of: parts[0]),
                Self.isText(parts[1]), head.fieldCount <= 128
            else { throw Stop.refused }
            var value = Array(parts[1])
            while let last = value.last, last == 32 || last == 9 { value.removeLast() }
            while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
            switch Self.text(parts[0]).lowercased() {
            case "content-length":
                guard !isTrailer, head.lengths.isEmpty, !value.isEmpty, value.count < 20,
                    value.allSatisfy({ (48...57).contains($0) })
                else { throw Stop.refused }
                head.lengths.append(value)
            case "transfer-encoding":
                guard !isTrailer, head.codings.isEmpty,
                    value.allSatisfy({ $0 < 128 }), Self.text(value).lowercased() == "chunked"
                else { throw Stop.refused }
                head.codings.append("chunked")
            case "connection":
                let options = Self.text(value).lowercased().split(separator: ",")
                if options.contains(where: { Self.stripped($0) == "close" }) { head.closes = true }
            default: break
            }
        }
    }

    private static func stripped(_ text: Substring) -> Substring {
        var text = text
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        return text
    }

    // MARK: Content

    private mutating func readContent(_ head: Head, _ isHead: Bool, _ isClosed: Bool) throws {
        let length = head.lengths.first.map { Self.text($0) }.flatMap { UInt64($0) }
        let isChunked = !head.codings.isEmpty
        if isChunked && (length != nil || head.minor == 0) { throw Stop.refused }
        if head.status == 204 {
            guard !isChunked, length ?? 0 == 0 else { throw Stop.refused }
        }
        status = head.status
        if head.status == 204 || head.status == 304 || isHead { return }
        if isChunked { return try readChunks(head) }
        guard let length else {
            isLast = true
            body = Array(bytes[place...])
            place = bytes.count
            guard isClosed else { throw Stop.unfinished }
            return
        }
        let rest = bytes[place...]
        guard rest.count >= length else {
            body = Array(rest)
            throw Stop.unfinished
        }
        body = Array(rest.prefix(Int(length)))
        place += Int(length)
    }

    private mutating func readChunks(_ head: Head) throws {
        var head = head
        var extensionBytes = 0
        while true {
            let line = try line(bytesMax: 4096)
            let digits = line.prefix { Self.text([$0]).first?.isHexDigit == true && $0 < 128 }
            let extensions = line.dropFirst(digits.count)
            let isBegun = extensions.drop { $0 == 32 || $0 == 9 }.first == 59
            guard (1...15).contains(digits.count), let size = Int(Self.text(digits), radix: 16),
                extensions.isEmpty || isBegun, Self.isText(extensions)
            else { throw Stop.refused }
            extensionBytes += extensions.count
            guard extensionBytes <= 16_384 else { throw Stop.refused }
            guard size > 0 else { break }
            let rest = bytes[place...]
            body += rest.prefix(size)
            guard rest.count >= size else { throw Stop.unfinished }
            place += size
            for byte in [13, 10] as [UInt8] {
                guard place < bytes.count else { throw Stop.unfinished }
                guard bytes[place] == byte else { throw Stop.refused }
                place += 1
            }
        }
        try readFields(into: &head, isTrailer: true)
        if head.closes { isLast = true }
    }
}
