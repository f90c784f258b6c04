package import FanfareBase

/// The demands of the provider on a request's header values, checked before anything is sent.
///
/// The checks work on bytes, allocate nothing, and answer `nil` for a good value. They check a
/// value as it stands: the caller decides before whether an empty cell means "not given".
package enum HeaderRules {
    /// Checks a device token: 2 to `Limits.tokenBytesMax` hexadecimal digits of either case, two for
    /// each byte; the provider asks not to assume a size.
    @inlinable
    package static func problem(token: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        // Two digits are a byte.
        if unsafe token.count >= 16 && token.count <= Limits.tokenBytesMax && token.count & 1 == 0
            && isHexadecimal(token)
        {
            return nil
        }
        return unsafe problem(unusualToken: token)
    }

    @usableFromInline
    static func problem(unusualToken token: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        if token.isEmpty { return .tokenEmpty }
        if token.count > Limits.tokenBytesMax { return .tokenTooLong }
        guard unsafe token.allSatisfy(isHexadecimalDigit) else {
            if unsafe isOfFCM(token) { return .tokenOfFCM }
            return unsafe isRoundedNumber(token) ? .tokenRounded : .tokenNotHexadecimal
        }
        if token.count < 2 { return .tokenTooShort }
        return token.count & 1 == 0 ? nil : .tokenCutOff
    }

    /// True if a token has the mark that FCM's have behind the id of the installation: `…:APA91b…`.
    static func isOfFCM(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let colon = unsafe token.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return unsafe token[(colon + 1)...].starts(with: "APA91b".utf8)
    }

    /// True if a text is a number as spreadsheets write large ones: `1.2E+63`, or `1,2E+63`.
    ///
    /// Spreadsheets take a token of digits and one E for such a number, and keep 15 digits of it.
    private static func isRoundedNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let parts = unsafe text.split(
            maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 | 0x20 == 0x65 })
        guard unsafe parts.count == 2 else { return false }
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
        let exponent = unsafe parts[1].drop { $0 == UInt8(ascii: "+") }
        let mantissa = unsafe parts[0].split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") })
        return unsafe !exponent.isEmpty && exponent.allSatisfy(isDigit)
            && mantissa.allSatisfy { unsafe !$0.isEmpty && $0.allSatisfy(isDigit) }
    }

    /// True if 16 or more bytes are all hexadecimal digits; it checks sixteen at a time.
    ///
    /// Every byte is below 128 or spoils the result at once, so the sums below never carry into the
    /// next byte: bit 7 of `byte + 128 − bound` says whether `byte ≥ bound`. (`SIMD16` comparisons
    /// took fifty times as long, because the compiler left their masks generic; sums of two words
    /// are one instruction each.)
    @inlinable
    static func isHexadecimal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = unsafe UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
        // The last words overlap those before, so no bytes are left over and none is read beyond
        // the end; the caller has made sure that there are at least 16.
        let last = bytes.count &- 16
        var good = SIMD2(repeating: 0x8080_8080_8080_8080 as UInt64)
        var offset = 0
        while offset < last {
            unsafe good &= hexadecimalDigits((start + offset).loadUnaligned(as: SIMD2.self))
            offset &+= 16
        }
        unsafe good &= hexadecimalDigits((start + last).loadUnaligned(as: SIMD2.self))
        return good[0] & good[1] == 0x8080_8080_8080_8080
    }

    /// Sets bit 7 of each byte that is a hexadecimal digit; the bits below do not matter.
    @inlinable
    @inline(__always)
    static func hexadecimalDigits(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
        func each(_ byte: UInt64) -> SIMD2<UInt64> {
            SIMD2(repeating: byte &* 0x0101_0101_0101_0101)
        }
        let lower = words | each(0x20)
        // From "0" and below ":", or from "a" and below "g".
        let digit = (words &+ each(0x50)) & ~(words &+ each(0x46))
        let letter = (lower &+ each(0x1F)) & ~(lower &+ each(0x19))
        return (digit | letter) & ~words
    }

    @inlinable
    static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        byte &- 48 <= 9 || (byte | 0x20) &- 97 <= 5
    }

    /// Checks `apns-topic`: visible ASCII, not empty.
    package static func problem(topic: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        unsafe isVisibleASCII(topic) ? nil : .topicInvalid
    }

    /// Checks `apns-push-type`: visible ASCII, not empty.
    ///
    /// Unknown types are the provider's affair.
    package static func problem(pushType: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        unsafe isVisibleASCII(pushType) ? nil : .pushTypeInvalid
    }

    /// Checks `apns-priority`: 1, 5 or 10, and the demand of the push type.
    package static func problem(
        priority: UnsafeBufferPointer<UInt8>, rules: PushType.Rules
    ) -> RowProblem? {
        guard let value = unsafe self.priority(priority) else { return .priorityInvalid }
        return allows(priority: value, rules: rules) ? nil : .priorityNotAllowed
    }

    /// True if a push type takes a priority.
    package static func allows(priority: UInt8, rules: PushType.Rules) -> Bool {
        rules.requiredPriority == 0 || rules.requiredPriority == priority
    }

    /// Returns the number that `apns-priority` stands for, if it is one of the three.
    package static func priority(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt8? {
        let text = unsafe bytes.span
        return switch text.count {
        case 1 where text[0] == UInt8(ascii: "1"): 1
        case 1 where text[0] == UInt8(ascii: "5"): 5
        case 2 where text[0] == UInt8(ascii: "1") && text[1] == UInt8(ascii: "0"): 10
        default: nil
        }
    }

    /// Checks `apns-expiration`: decimal digits, at most ten of them (the year 2286).
    ///
    /// `0` means one attempt without storage; that is not the same as no header, which means that
    /// the provider stores for up to 30 days. More digits would be milliseconds, a common mistake
    /// that would silently mean "forever".
    package static func problem(expiration: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        guard 1...10 ~= expiration.count else { return .expirationInvalid }
        return unsafe expiration.allSatisfy { $0 &- 48 <= 9 } ? nil : .expirationInvalid
    }

    /// Checks `apns-collapse-id`: a header value of 1 to 64 bytes.
    package static func problem(collapseID: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        if collapseID.count > Limits.collapseIDBytesMax { return .collapseIDTooLong }
        return unsafe isFieldValue(collapseID) ? nil : .collapseIDInvalid
    }

    /// Checks `apns-id`: a UUID in the form 8-4-4-4-12, of either case.
    ///
    /// The provider knows the lower-case form only: send it through `appendLowercased`.
    package static func problem(apnsID: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        let text = unsafe apnsID.span
        guard text.count == 36 else { return .apnsIDInvalid }
        for index in 0..<36 {
            let isGood =
                switch index {
                case 8, 13, 18, 23: text[index] == UInt8(ascii: "-")
                default: isHexadecimalDigit(text[index])
                }
            if !isGood { return .apnsIDInvalid }
        }
        return nil
    }

    /// Returns the `apns-id` of an answer if the sender does not know it; nothing if it is the one
    /// that was sent, or none.
    ///
    /// A server may put anything there, and text that is no id would go to the report.
    package static func news(
        inAPNsID answered: UnsafeBufferPointer<UInt8>, sent: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let nothing = unsafe UnsafeBufferPointer<UInt8>.empty
        guard answered.count == 36, let left = answered.baseAddress else { return unsafe nothing }
        if sent.count == 36, let right = sent.baseAddress {
            let (left, right) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
            var difference = unsafe UInt64(
                left.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
                    ^ right.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
            for offset in stride(from: 0, to: 32, by: 8) {
                difference |=
                    unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            if difference == 0 { return unsafe nothing }
        }
        return unsafe problem(apnsID: answered) == nil ? answered : nothing
    }

    /// Appends ASCII text with its capital letters made small.
    package static func appendLowercased(
        _ text: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
    ) {
        for index in text.indices {
            let byte = unsafe text[index]
            buffer.append(byte &- 65 < 26 ? byte | 0x20 : byte)
        }
    }

    /// True if bytes are one or more of `!` to `~`.
    package static func isVisibleASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe !bytes.isEmpty && bytes.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// True if bytes may be a header's value: no control characters, and no blank at either end,
    /// which a receiver would strip.
    ///
    /// RFC 9110 §5.5
    static func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = unsafe bytes.span
        if text.isEmpty || isBlank(text[0]) || isBlank(text[text.count - 1]) { return false }
        for index in text.indices {
            if (text[index] < 0x20 && text[index] != 0x09) || text[index] == 0x7F { return false }
        }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
