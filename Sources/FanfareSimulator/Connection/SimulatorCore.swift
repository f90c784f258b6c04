import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareTLS

/// The state that all connections of one thread share: configuration, the scenario's state,
/// counters, log.
///
/// It has no clock and no randomness but its seed. Use it from one thread at a time.
package final class SimulatorCore {
    /// The counts of requests; accepted, refused, reset and unanswered add up to the first.
    package struct Counters: Equatable, Sendable {
        package var requests: UInt64 = 0
        /// Answered with 200, and not refused in words.
        package var accepted: UInt64 = 0
        /// Answered in another way.
        package var refused: UInt64 = 0
        /// Ended by RST_STREAM.
        package var reset: UInt64 = 0
        /// The requests without an answer: stalled, given up by the client, or lost with the
        /// connection.
        package var unanswered: UInt64 { requests - accepted - refused - reset }
        /// Access tokens that were given out; requests for them are not among the others.
        package var accessTokens: UInt64 = 0

        /// Counts an answer of a service that says with its body, too, what becomes of a request.
        mutating func count(_ answer: GoogleAnswer, of service: SimulatedService) {
            if service == .oauth {
                if answer.status == 200 { accessTokens += 1 }
            } else if answer.status == 200 && answer.accepts {
                accepted += 1
            } else {
                refused += 1
            }
        }

        mutating func add(_ other: Counters) {
            requests += other.requests
            accepted += other.accepted
            refused += other.refused
            reset += other.reset
            accessTokens += other.accessTokens
        }
    }

    package let configuration: SimulatorConfiguration
    package internal(set) var counters = Counters()
    /// The lines that wait to be written, if `configuration.logsRequests`.
    package var log = RequestLog()
    /// Judges provider tokens in place of the key, for tests whose tokens are not signed.
    package var judgesToken: ((String) -> ProviderTokenGate.Verification)?

    /// The places that make answers, if there is a knee.
    let places: AnsweringPlaces?
    /// The project at FCM to send for.
    package let project: SimulatedProject
    let accessTokens: AccessTokens
    let answers: [PreparedAnswer]
    let validator = JSONValidator()
    var scenario: ScenarioState
    /// The buffer that puts the parts of an answer together.
    var scratch = ByteBuffer(capacity: 1024)
    private var idGenerator: SplitMix64
    /// The date that was asked for last, which is that of many answers.
    private var lastDate: (seconds: Int64, bytes: [UInt8]) = (-1, [])

    /// - Parameters:
    ///   - configuration: The behavior of the provider.
    ///   - lane: The thread's number; makes the generated ids of threads differ.
    ///   - places: The places that make answers, if other threads share them.
    ///   - project: The project at FCM to send for, if other threads share it.
    package init(
        _ configuration: SimulatorConfiguration, lane: Int = 0, places: AnsweringPlaces? = nil,
        project: SimulatedProject? = nil
    ) {
        self.configuration = configuration
        self.project = project ?? SimulatedProject(configuration.fcm)
        accessTokens = AccessTokens(seed: configuration.seed)
        self.places = places ?? configuration.knee.map { AnsweringPlaces($0) }
        answers = PreparedAnswer.all(for: configuration.scenario)
        scenario = ScenarioState(configuration.scenario)
        idGenerator = SplitMix64(seed: configuration.seed ^ UInt64(lane) << 48)
    }

    func makeID() -> GeneratedID {
        GeneratedID(&idGenerator)
    }

    /// A time as HTTP writes it.
    /// - Parameter seconds: UNIX time.
    /// - Returns: 29 bytes.
    func date(_ seconds: Int64) -> [UInt8] {
        if lastDate.seconds != seconds {
            lastDate = (seconds, HTTPDateText.bytes(seconds: seconds))
        }
        return lastDate.bytes
    }

    /// A number for an access token, which has room for so many bits.
    func makeTokenNumber() -> UInt64 {
        idGenerator.next() >> 16
    }

    /// Checks a provider token with the key, if there is one.
    func verify(_ token: UnsafeBufferPointer<UInt8>) -> ProviderTokenGate.Verification {
        if let judgesToken {
            return judgesToken(unsafe String(decoding: token, as: UTF8.self))
        }
        guard let verifier = configuration.tokenVerifier else { return .unchecked }
        switch unsafe verifier.verify(token) {
        case .success(let claims): return .signed(issuedAt: claims.issuedAt)
        case .failure: return .wrong
        }
    }
}
