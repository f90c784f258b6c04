/// A small, fast generator whose whole state is one number: for jitter, test data and fault plans.
///
/// It steps through all 2⁶⁴ states and maps each to another number, so no number repeats before all
/// have come. It is not for secrets.
///
/// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014)
@frozen
package struct SplitMix64: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// Starts a sequence; equal seeds give equal sequences.
    @inlinable
    package init(seed: UInt64) {
        state = seed
    }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
