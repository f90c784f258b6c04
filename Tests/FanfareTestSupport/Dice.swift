import FanfareBase

/// Every choice of a simulation comes from here, so that a seed is the whole run.
package struct Dice {
    private var generator: SplitMix64

    package init(seed: UInt64) {
        // Neighboring seeds would otherwise give sequences that are shifted by one.
        var spread = SplitMix64(seed: seed)
        generator = SplitMix64(seed: spread.next())
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    package mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }

    package mutating func share(upTo bound: Double) -> Double {
        Double.random(in: 0..<bound, using: &generator)
    }

    package mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[number(0...choices.count - 1)]
    }

    /// A fault that is on in some runs only, with a probability of its own: runs in which everything
    /// goes wrong at once would never get far enough to meet the rarer states.
    package mutating func swarm(_ onProbability: Double, upTo bound: Double) -> Double {
        chance(onProbability) ? share(upTo: bound) : 0
    }

    package mutating func bits() -> UInt64 { generator.next() }
}
