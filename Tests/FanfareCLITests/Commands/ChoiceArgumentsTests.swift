import Fanfare
import Testing

@testable import FanfareCLI

/// The choice of rows on a command line.
@Suite struct ChoiceArgumentsTests {
    private enum Unexpected: Error { case help }

    private func parsed(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return arguments
    }

    @Test func `send has conditions, a sample with its seed, and a limit`() throws {
        let arguments = try parsed([
            "send", "rows.csv", "--alert", "hi", "--where", "platform=ios", "--where", "age>=18",
            "--sample", "2.5%", "--sample-seed", "7", "--limit", "1k",
        ])
        var configuration = try Configuration(rowsOf: arguments)
        configuration.readSample(arguments[Options.sampleShare], arguments)
        let choice = configuration.rows.choice
        #expect(choice.conditions.map(\.description) == ["platform=ios", "age>=18"])
        #expect(choice.sample == (try RowSample(percent: 2.5, seed: 7)))
        #expect(choice.limit == 1000)
    }

    @Test func `check takes a number of payloads or a share of the rows`() throws {
        func sample(_ words: String...) throws -> (Int, RowSample?) {
            let arguments = try parsed(["check", "rows.csv", "--alert", "hi"] + words)
            var configuration = try Configuration(rowsOf: arguments)
            let count = try configuration.readCheckSample(arguments)
            return (count, configuration.rows.choice.sample)
        }
        #expect(try sample() == (0, nil))
        #expect(try sample("--sample", "3") == (3, nil))
        #expect(
            try sample("--sample", "1%", "--sample-seed", "2")
                == (0, try RowSample(percent: 1, seed: 2)))
        #expect(throws: CommandError.self) { try sample("--sample", "3", "--sample-seed", "2") }
    }

    @Test(arguments: [
        ("1000", "--limit 1000"), ("0%", "nothing"), ("100%", "all rows"), ("1", "percent sign"),
        ("x", "not a percentage"),
    ])
    func `what is no sample is told`(text: String, says: String) {
        #expect {
            try ValueReader.sample(text)
        } throws: { error in
            (error as? ValueFault)?.problem.contains(says) == true
        }
    }
}
