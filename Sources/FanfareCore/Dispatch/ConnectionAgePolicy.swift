package import FanfareBase

/// The rule by which a connection makes room for a new one because of its age.
///
/// We never exchange the token of a connection (APNs answers two of them within 20 minutes with
/// `TooManyProviderTokenUpdates`), and it dies after an hour. And a connection that stays forever
/// stays on one server forever, also when DNS names others meanwhile.
package struct ConnectionAgePolicy: Equatable, Sendable {
    /// The age at which a connection makes room.
    package var ageMax = Limits.connectionAgeMax
    /// The age of its token at which it does.
    package var tokenAgeMax = Limits.providerTokenAgeMax
    /// The age of its token at which nothing more is sent with it, replaced or not.
    package var tokenAgeEnd = Limits.providerTokenAgeEnd

    package init() {}

    /// The times at which a connection should be replaced, and at which it ends even without a
    /// replacement.
    package struct Moments: Equatable, Sendable {
        package var replacement: Instant
        package var end: Instant
    }

    /// Draws the moments of a connection.
    ///
    /// They are up to a tenth of the age earlier than the bounds, so that connections that began
    /// together do not end together.
    /// - Parameters:
    ///   - opened: The time when it was opened.
    ///   - signed: The time when its token was signed; nil without one.
    ///   - life: The time for which the token may be used, if that is known.
    ///   - generator: The source of jitter.
    /// - Returns: Both moments.
    package func moments(
        opened: Instant, tokenSigned signed: Instant?, life: Duration? = nil,
        using generator: inout SplitMix64
    ) -> Moments {
        let permille = Int64.random(in: 900...1000, using: &generator)
        func jittered(_ age: Duration) -> Int64 { age.wholeNanoseconds / 1000 * permille }
        let byAge = opened.advanced(byNanoseconds: jittered(ageMax))
        guard let signed else { return Moments(replacement: byAge, end: .distantFuture) }
        if let life {
            // A tenth before, and not before the next token is there, which is asked for at four fifths.
            let nanoseconds = life.wholeNanoseconds
            let margin = min(nanoseconds / 10, Limits.accessTokenMargin.wholeNanoseconds)
            return Moments(
                replacement: min(byAge, signed.advanced(byNanoseconds: jittered(life * 9 / 10))),
                end: signed.advanced(byNanoseconds: nanoseconds - margin))
        }
        return Moments(
            replacement: min(byAge, signed.advanced(byNanoseconds: jittered(tokenAgeMax))),
            end: signed.advanced(by: tokenAgeEnd))
    }
}
