package import FanfareBase
package import FanfareCore
import FanfareFigures
import FanfareJSON

/// An earlier result of a load test, to compare a later one with.
package struct LoadBaseline: Sendable {
    let name: String
    let settings: [(name: String, value: JSONValue)]
    let steps: [LoadComparison.Figures]
    private let environment: JSONValue?
    let startedAt: String
    /// The version of fanfare that has measured it.
    let version: String

    /// Reads a result that was written as JSON.
    /// - Parameters:
    ///   - json: The document.
    ///   - name: The result's name in messages: its path.
    ///   - setting: The setting that has named it.
    /// - Throws: `FanfareError` with code `configuration` when the document is no result, or an
    ///   unfinished one.
    package init(
        json: [UInt8], name: String, as setting: Setting = .baseline
    ) throws(FanfareError) {
        func fail(_ why: String) -> FanfareError {
            FanfareError(.configuration, "\(setting) \(name): \(why)")
        }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue.parse(json)
        } catch {
            throw fail("\(error)")
        }
        guard case .string(let schema) = document["schema"] else {
            throw fail("no result of 'fanfare bench': it has no schema")
        }
        guard schema == LoadResult.schema else {
            throw fail(
                "it has the schema '\(schema)', and this version compares \(LoadResult.schema)")
        }
        guard document["stopped_by"] == .null else {
            throw fail("the test did not come to its end; name the result of one that did")
        }
        guard case .object(let settings) = document["settings"],
            case .array(let steps) = document["steps"], !steps.isEmpty
        else { throw fail("it has no settings or no steps") }
        self.name = name
        self.settings = settings.map { ($0.key, $0.value) }
        environment = document["environment"]
        startedAt = environment?.string("started_at") ?? "an unknown time"
        version = environment?.string("version") ?? "unknown"
        if let knee = document["knee"] {
            self.steps = [LoadComparison.Figures(knee: knee["rate"]?.real)]
            return
        }
        var figures: [LoadComparison.Figures] = []
        for (index, step) in steps.enumerated() {
            guard let found = LoadComparison.Figures(step) else {
                throw fail("step \(index + 1) lacks figures")
            }
            figures.append(found)
        }
        self.steps = figures
    }

    /// Returns the settings that differ from those of the later test.
    func differences(from now: [(name: String, value: LoadResult.Setting)]) -> [String] {
        var found: [String] = []
        for (name, value) in now {
            let before = settings.last { $0.name == name }?.value
            guard before.map({ !value.matches($0) }) ?? true else { continue }
            let was = before.map(\.description) ?? "not given"
            found.append("\(name) \(was) (now \(value.description))")
        }
        for (name, value) in settings where !now.contains(where: { $0.name == name }) {
            found.append("\(name) \(value.description) (now not given)")
        }
        return found
    }

    /// Compares a later result with it.
    func comparison(with result: LoadResult, regressionMax: Double) -> LoadComparison {
        return LoadComparison(
            name: "\(name) of \(startedAt)", before: steps,
            now: Self.figures(of: result), regressionMax: regressionMax,
            differences: machineDifferences(from: result.stamp))
    }

    /// Returns the figures of a result that are compared: of a search only the knee.
    static func figures(of result: LoadResult) -> [LoadComparison.Figures] {
        result.knee.map { [LoadComparison.Figures(knee: $0.rate)] }
            ?? result.steps.map { LoadComparison.Figures($0) }
    }

    /// Returns the differences of its machine from another one, in words.
    func machineDifferences(from stamp: LoadResult.Stamp) -> [String] {
        let now: [(String, JSONValue)] = [
            ("cores", .integer(Int64(stamp.cores))), ("kernel", .string(stamp.kernel)),
            ("tls", stamp.tls.map { .string($0) } ?? .null),
        ]
        return now.compactMap { name, value -> String? in
            guard let before = environment?[name], before != value else { return nil }
            return "\(name) \(before.description) (now \(value.description))"
        }
    }
}

extension LoadTest {
    /// Checks that a baseline was measured in the same way, before anything is sent.
    /// - Throws: `FanfareError` with code `configuration`, which names the differences.
    package func check(_ baseline: LoadBaseline) throws(FanfareError) {
        let differences = baseline.differences(from: plan.settings)
        guard !differences.isEmpty else { return }
        throw FanfareError(
            .configuration,
            "\(.baseline) \(baseline.name) was measured with other settings: "
                + "\(differences.joined(separator: ", ")); repeat it with these, or name another")
    }
}

extension LoadTestResult {
    /// Compares it with an earlier result.
    /// - Parameters:
    ///   - baseline: The earlier result, of a test with the same settings.
    ///   - regressionMax: The share by which a figure may be worse.
    /// - Returns: `nil` if the test was stopped before its end: there is nothing to compare then.
    package func compared(
        with baseline: LoadBaseline, regressionMax: Double
    ) -> LoadComparison? {
        guard result.stop == nil else { return nil }
        return baseline.comparison(with: result, regressionMax: regressionMax)
    }
}

extension LoadComparison.Figures {
    /// Reads them from a step of a document.
    fileprivate init?(_ step: JSONValue) {
        guard let throughput = step["requests_per_second"]?.real,
            let errors = step["error_percent"]?.real, let answered = step["answered"]?.real
        else { return nil }
        self.init(
            throughput: throughput, median: step["response_ms"]?["p50"]?.real,
            tail: step["response_ms"]?["p99"]?.real,
            processor: answered > 0 ? step["cpu_us_per_request"]?.real : nil, errors: errors)
    }
}

extension LoadResult.Setting {
    /// True if a document has the same value, as precisely as it was written there.
    fileprivate func matches(_ value: JSONValue) -> Bool {
        switch self {
        case .text(let text): value == (text.map { .string($0) } ?? .null)
        case .whole(let number): value == (number.map { .integer($0) } ?? .null)
        case .real(let number): value.real.map { abs($0 - number) < 0.001 } ?? false
        }
    }

    fileprivate var description: String {
        switch self {
        case .text(let text): text ?? "none"
        case .whole(let number): number.map(String.init) ?? "none"
        case .real(let number): JSONValue.number(number, text: nil).description
        }
    }
}

extension JSONValue {
    /// A value as a message shows it.
    fileprivate var description: String {
        switch self {
        case .null: "none"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number, _):
            number == number.rounded() && abs(number) < 1e15
                ? String(Int64(number)) : String(number)
        case .string(let text): String(text.prefix(80))
        case .array, .object: "something else"
        }
    }
}
