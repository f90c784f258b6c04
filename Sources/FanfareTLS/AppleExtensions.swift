internal import COpenSSL

/// The extensions that Apple puts into push certificates.
///
/// Development: 1.2.840.113635.100.6.3.1, production: …6.3.2 (both on "Sandbox & Production"), VoIP
/// topics in their older form: …6.3.4, topics: …6.3.6, a SEQUENCE of pairs
/// { UTF8String topic, SEQUENCE { UTF8String kind } }.
enum AppleExtensions {
    static let development = "1.2.840.113635.100.6.3.1"
    static let production = "1.2.840.113635.100.6.3.2"
    static let voipTopics = "1.2.840.113635.100.6.3.4"
    static let topics = "1.2.840.113635.100.6.3.6"

    static func environments(
        borrowing certificate: OpaquePointer
    ) -> [CertificateFacts.Environment] {
        var environments: [CertificateFacts.Environment] = []
        if unsafe content(of: development, in: certificate) != nil {
            environments.append(.development)
        }
        if unsafe content(of: production, in: certificate) != nil {
            environments.append(.production)
        }
        return environments
    }

    /// Returns all topics, each once, in the order of the certificate.
    static func topics(borrowing certificate: OpaquePointer) -> [String] {
        var topics: [String] = []
        for identifier in [Self.topics, voipTopics] {
            guard let content = unsafe content(of: identifier, in: certificate) else { continue }
            for topic in self.topics(in: content) where !topics.contains(topic) {
                topics.append(topic)
            }
        }
        return topics
    }

    /// Returns the strings directly in the outer sequence; the kinds are in sequences of their own.
    static func topics(in content: [UInt8]) -> [String] {
        var outer = DERReader(content[...])
        guard let first = outer.next() else { return [] }
        if let text = first.text { return [text] }
        guard first.isSequence else { return [] }
        var topics: [String] = []
        var members = DERReader(first.content)
        while let member = members.next() {
            if let text = member.text { topics.append(text) }
        }
        return topics
    }

    private static func content(
        of identifier: String, in certificate: OpaquePointer
    ) -> [UInt8]? {
        defer { ErrorQueue.clear() }
        guard let object = unsafe OBJ_txt2obj(identifier, 1) else { return nil }
        defer { unsafe ASN1_OBJECT_free(object) }
        let index = unsafe X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0, let found = unsafe X509_get_ext(certificate, index),
            let octets = unsafe X509_EXTENSION_get_data(found)
        else { return nil }
        return unsafe Array(
            UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(octets), count: Int(ASN1_STRING_length(octets))))
    }
}

/// Walks over elements of DER that follow each other.
///
/// ITU-T X.690 §8.1; tags above 30 and lengths of more than four bytes do not occur here.
struct DERReader {
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>

        var isSequence: Bool { tag == 0x30 }

        /// The text of a UTF8String, PrintableString or IA5String.
        var text: String? {
            guard tag == 0x0c || tag == 0x13 || tag == 0x16 else { return nil }
            return String(validating: content, as: UTF8.self)
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Returns the next element, or nil at the end or where the bytes are not DER.
    mutating func next() -> Element? {
        guard let tag = rest.popFirst(), tag & 0x1f != 0x1f, let first = rest.popFirst() else {
            return nil
        }
        var count = Int(first)
        if first >= 0x80 {
            count = 0
            guard (0x81...0x84).contains(first) else { return nil }
            for _ in 0..<(first - 0x80) {
                guard let byte = rest.popFirst() else { return nil }
                count = count << 8 | Int(byte)
            }
        }
        guard count <= rest.count else { return nil }
        let content = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Element(tag: tag, content: content)
    }
}
