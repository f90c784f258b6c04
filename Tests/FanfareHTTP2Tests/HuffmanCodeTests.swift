import FanfareBase
import Testing

@testable import FanfareHTTP2

/// The code of RFC 7541, appendix B, read and written.
@Suite struct HuffmanCodeTests {
    /// The decoded bytes, with the bytes that have no room as one last byte.
    private func decode(_ bytes: [UInt8], room: Int = 40) -> (text: [UInt8], count: Int)? {
        var target = [UInt8](repeating: 0, count: room + 1)
        let decoded = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe target.baseAddress.flatMap {
                    unsafe HuffmanCode.shared.decode(bytes, to: $0, room: room)
                }
            }
        }
        return decoded.map { (Array(target.prefix(min($0.count, room + 1))), $0.count) }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    private func coded(_ text: String) -> [UInt8] {
        var coded = ByteBuffer()
        HuffmanCode.shared.append(text, to: &coded)
        return unsafe Array(coded.bytes)
    }

    /// The vectors of RFC 7541, appendices C.4 and C.6.
    @Test(arguments: [
        ("www.example.com", "f1e3c2e5f23a6ba0ab90f4ff"), ("no-cache", "a8eb10649cbf"),
        ("custom-key", "25a849e95ba97d7f"), ("custom-value", "25a849e95bb8e8b4bf"),
        ("302", "6402"), ("private", "aec3771a4b"), ("307", "640eff"), ("gzip", "9bd9ab"),
        ("Mon, 21 Oct 2013 20:13:21 GMT", "d07abe941054d444a8200595040b8166e082a62d1bff"),
        ("https://www.example.com", "9d29ad171863c78f0b97c8e9ae82ae43d3"),
    ])
    func `the RFC's strings are read and written`(text: String, hex: String) {
        let bytes = bytes(hex)
        #expect(coded(text) == bytes)
        #expect(decode(bytes)?.text == Array(text.utf8))
    }

    /// Codes of five bits and of 28, in every order, at every place in a byte.
    @Test func `each pair of symbols is read as written, behind up to seven others`() {
        for first in UInt8.min..<128 {
            for second in UInt8.min..<128 {
                let before = String(repeating: "0", count: Int(first &+ second) % 8)
                let text = before + String(decoding: [first, second], as: UTF8.self) + "-0123"
                guard decode(coded(text))?.text == Array(text.utf8) else {
                    Issue.record("\(first), \(second)")
                    return
                }
            }
        }
    }

    @Test func `a string without a byte is empty`() {
        #expect(decode([])?.count == 0)
    }

    @Test func `of a longer string there are the first bytes and the last one`() {
        for count in 1...60 {
            let text = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
            let long = (0..<count).map { text[$0 % text.count] }
            let decoded = decode(coded(String(decoding: long, as: UTF8.self)), room: 20)
            #expect(decoded?.count == count)
            let expected = count <= 20 ? long : Array(long[..<20]) + [long[count - 1]]
            #expect(decoded?.text == expected, "of \(count)")
        }
    }

    /// RFC 7541 §5.2: eight bits of padding, padding of other than ones, and the end of the string.
    @Test(arguments: ["ff", "07ff", "f1e3c2e5f23a6ba0ab90f4ffff", "18", "ffffffff", "fffffffc"])
    func `what is no string is refused`(hex: String) {
        #expect(decode(bytes(hex)) == nil)
    }
}
