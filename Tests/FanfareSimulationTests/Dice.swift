import FanfareBase
import FanfareCore

/// Every choice of a simulation comes from here, so that a seed is the whole run.
struct Dice {
    private var generator: SplitMix64

    init(seed: UInt64) {
        // Neighboring seeds would otherwise give sequences that are shifted by one.
        var spread = SplitMix64(seed: seed)
        generator = SplitMix64(seed: spread.next())
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }

    mutating func share(upTo bound: Double) -> Double {
        Double.random(in: 0..<bound, using: &generator)
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[number(0...choices.count - 1)]
    }

    /// A fault that is on in some runs only, with a probability of its own: runs in which everything
    /// goes wrong at once would never get far enough to meet the rarer states.
    mutating func swarm(_ onProbability: Double, upTo bound: Double) -> Double {
        chance(onProbability) ? share(upTo: bound) : 0
    }

    mutating func bits() -> UInt64 { generator.next() }
}
