/// The form of a PEM text: lines, of which a shell, a variable or a template may have made something else.
package enum PEMForm {
    /// Returns what is wrong with the form, as a sentence about the key; `nil` if nothing is.
    ///
    /// OpenSSL's own words for each of these are that it supports no such thing. RFC 7468 §2
    package static func fault(of pem: Secret) -> String? {
        unsafe pem.withBytes { unsafe fault(of: $0) }
    }

    private static func fault(of text: UnsafeBufferPointer<UInt8>) -> String? {
        let restored = "; put them back, so that BEGIN, END and each part between them have a line"
        guard let begin = unsafe text.firstIndex(where: { $0 > 0x20 }) else { return nil }
        if unsafe [0x22, 0x27].contains(text[begin]) {
            return "it has quotes around it; take them away"
        }
        if unsafe text.contains(UInt8(ascii: "\\")) {
            return #"it has \n in two characters where its lines should end"# + restored
        }
        let body = unsafe text[begin...]
        // The last line end may be there nevertheless.
        guard let end = unsafe body.lastIndex(where: { $0 > 0x20 }) else { return nil }
        guard unsafe body[...end].contains(0x0A) else {
            return "its lines have become one" + restored
        }
        var before = UInt8(0x0A)
        for index in begin...end {
            let byte = unsafe text[index]
            if before == 0x0A, byte == 0x20 || byte == 0x09 {
                return "its lines begin with blanks; take those away"
            }
            before = byte
        }
        return nil
    }
}
