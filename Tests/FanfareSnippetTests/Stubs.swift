// As much of other people's packages as the documents use, with their signatures: this package has no
// dependencies, and the documents show programs that have these.

// MARK: ServiceLifecycle

protocol Service: Sendable {
    func run() async throws
}

func gracefulShutdown() async throws {}

func withGracefulShutdownHandler<Result>(
    operation: () async throws -> Result,
    onGracefulShutdown handler: @Sendable @escaping () -> Void
) async rethrows -> Result {
    try await operation()
}

// MARK: swift-log

struct Logger: Sendable {
    enum Level: Sendable { case trace, debug, info, notice, warning, error, critical }

    enum MetadataValue: Sendable { case string(String) }

    typealias Metadata = [String: MetadataValue]

    struct Message: ExpressibleByStringInterpolation {
        init(stringLiteral value: String) {}
    }

    init(label: String) {}

    func log(
        level: Level, _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil
    ) {}
}

// MARK: swift-metrics

final class Counter: Sendable {
    init(label: String, dimensions: [(String, String)] = []) {}
    func increment<Number: BinaryInteger>(by amount: Number) {}
}

final class Gauge: Sendable {
    init(label: String, dimensions: [(String, String)] = []) {}
    func record<Number: BinaryInteger>(_ value: Number) {}
    func record<Number: BinaryFloatingPoint>(_ value: Number) {}
}
