import FanfareBase

/// A generator of registration tokens like FCM's: an installation's id of 22 characters, a colon,
/// and a text that begins with `APA91b`.
///
/// https://firebase.google.com/docs/cloud-messaging
enum RegistrationTokenGenerator {
    private static let idCharacters = 22
    private static let beginning: StaticString = ":APA91b"
    /// The lengths of those that are in use.
    private static let lengths: ClosedRange<UInt64> = 142...163
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// Appends a token.
    /// - Parameters:
    ///   - first: The row's first number; eleven characters hold all of it, so that no two tokens are equal.
    ///   - random: The generator for the rest.
    ///   - output: The buffer that gets the token.
    static func append(
        _ first: UInt64, _ random: inout SplitMix64, into output: inout ByteBuffer
    ) {
        let length = lengths.lowerBound + random.next() % UInt64(lengths.count)
        append(11, of: first, into: &output)
        append(idCharacters - 11, of: random.next(), into: &output)
        output.append(beginning)
        var left = Int(length) - idCharacters - beginning.utf8CodeUnitCount
        while left > 0 {
            // Ten characters of six bits each.
            let count = min(left, 10)
            append(count, of: random.next(), into: &output)
            left -= count
        }
    }

    /// Appends so many characters, six bits of the number in each, and the rest of it in the last
    /// one.
    private static func append(_ count: Int, of number: UInt64, into output: inout ByteBuffer) {
        for index in 0..<count {
            let bits = Int(truncatingIfNeeded: number >> UInt64(6 * index)) & 63
            output.append(unsafe alphabet.utf8Start[bits])
        }
    }
}
