import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs whose rows are a JSON array.
@Suite struct ArrayJobTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// The rows of `rows`, as objects.
    private var objects: [String] {
        rows.split(separator: "\n").dropFirst().map { row in
            let fields = row.split(separator: ",")
            return "{\"token\": \"\(fields[0])\",\n \"name\": \"\(fields[1])\"}"
        }
    }

    @Test func `a job is carried on`() throws {
        let path = try folder.write("[\(objects.joined(separator: ",\n"))]\n", to: "rows.json")
        let configuration = try stoppedJob { $0.inputs = [.file(path)] }
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(result.rowsRead == 100)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...100))
        // The 51st row was refused, and sent again.
        #expect(provider.stop().requests == 101)
    }

    @Test func `one that is cut off, joined or damaged is told before anything is sent`() throws {
        let array = "[\(objects.joined(separator: ","))"
        for (text, words) in [
            (array, "100: its JSON array does not end: it is cut off at object 100"),
            (
                array + "]\n[{}]",
                "100: something else follows the end of its JSON array in line 102"
            ),
            (array + ",{\"token\": 1 2}]", "100: object 101 of its JSON array is not JSON"),
        ] {
            let path = try folder.write(text, to: "rows.json")
            let error = fanfareError { _ = try stoppedJob { $0.inputs = [.file(path)] } }
            #expect(error?.code == .input)
            let message = error?.message ?? "none"
            let row = words.hasPrefix("100: its") ? "99" + words.dropFirst(3) : words
            #expect(message.hasPrefix("\(path) cannot be read on after row \(row)"), "\(message)")
            #expect(message.contains(". Nothing was sent; once it is mended, the same command"))
            #expect(!folder.exists("r.csv"))
        }
        #expect(provider.stop().requests == 0)
    }
}
