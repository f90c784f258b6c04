/// The form of a PEM text: lines, of which a shell, a variable or a template may have made something else.
package enum PEMForm {
    /// Returns what is wrong with the form, as a sentence about the key; `nil` if nothing is.
    ///
    /// OpenSSL's own words for each of these are that it supports no such thing. RFC 7468 §2
    package static func fault(of pem: Secret) -> String? {
        unsafe pem.withBytes { unsafe fault(of: $0) }
    }

    private static func fault(of text: UnsafeBufferPointer<UInt8>) -> String? {
        guard let first = unsafe text.first(where: { $0 > 0x20 }) else { return nil }
        if [0x22, 0x27].contains(first) { return "it has quotes around it; take them away" }
        // OpenSSL writes lines of other forms in front of BEGIN and behind END.
        var at = 0
        while let begin = unsafe place(of: "-----BEGIN ", in: text, from: at) {
            let last = unsafe place(of: "-----END ", in: text, from: begin) ?? text.count
            let end = unsafe text[last...].firstIndex(of: 0x0A) ?? text.count
            if let fault = unsafe fault(in: text, from: begin, to: end) { return fault }
            at = end
        }
        return nil
    }

    /// Returns what is wrong with one key or certificate, from BEGIN to the end of the line with END.
    private static func fault(
        in text: UnsafeBufferPointer<UInt8>, from begin: Int, to end: Int
    ) -> String? {
        let restored = "; put them back, so that BEGIN, END and each part between them have a line"
        let block = unsafe text[begin..<end]
        if unsafe block.contains(UInt8(ascii: "\\")) {
            return #"it has \n in two characters where its lines should end"# + restored
        }
        guard unsafe block.contains(0x0A) else { return "its lines have become one" + restored }
        if unsafe begin > 0 && isBlank(text[begin - 1]) { return blanks }
        var before = UInt8(0)
        for index in begin..<end {
            let byte = unsafe text[index]
            if before == 0x0A, isBlank(byte) { return blanks }
            before = byte
        }
        return nil
    }

    private static let blanks = "its lines begin with blanks; take those away"

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func place(
        of word: String, in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        let word = Array(word.utf8)
        return (start..<max(start, text.count - word.count + 1)).first {
            unsafe text[$0] == word[0] && text[$0...].starts(with: word)
        }
    }
}
