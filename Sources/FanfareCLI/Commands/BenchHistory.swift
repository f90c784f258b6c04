import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// The folder with the results of a load test's runs, and the page about the last ones.
struct BenchHistory {
    private let folder: String
    /// The earlier runs that the latest one is compared with, and that the page shows.
    private let runsMax: Int
    /// The runs that were read.
    private(set) var runs: LoadHistory

    /// - Returns: `nil` if the command line asks for none.
    init?(_ arguments: ParsedArguments) {
        guard let folder = arguments[Options.Bench.history] else { return nil }
        self.folder = folder
        runsMax = arguments[Options.Bench.historyRuns]
        runs = LoadHistory(name: folder)
    }

    private func path(_ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    private var pagePath: String { path("index.html") }

    private static let lead = "bench-"
    private static let ending = ".json"

    /// Reads the last runs with the settings of a test, before anything is sent.
    /// - Throws: `FanfareError` about the folder, or a file in it that is no result.
    mutating func read(for test: LoadTest) throws(FanfareError) {
        guard FileDescriptor.isFolder(folder) else {
            throw FanfareError(
                .configuration, "\(.history) \(folder) is no folder; mkdir -p \(folder) makes one")
        }
        var found: [LoadBaseline] = []
        // Names begin with the time, so the latest run has the last name.
        for name in try names().sorted(by: >) where found.count < runsMax {
            let run = try Self.result(at: path(name))
            if test.matches(run) { found.append(run) }
        }
        for run in found.reversed() { runs.add(run) }
        do throws(FileError) {
            try FileDescriptor.checkWritable(pagePath, isPublic: true)
        } catch {
            throw FanfareError(.output, "\(pagePath) cannot be written: \(error.reason)")
        }
    }

    private func names() throws(FanfareError) -> [String] {
        do throws(FileError) {
            return try FileDescriptor.names(inFolder: folder).filter {
                $0.hasPrefix(Self.lead) && $0.hasSuffix(Self.ending)
            }
        } catch {
            throw FanfareError(.input, "\(.history) \(folder) cannot be read: \(error.reason)")
        }
    }

    private static func result(at path: String) throws(FanfareError) -> LoadBaseline {
        let json: [UInt8]
        do throws(FileError) {
            json = try SmallFile.read(path, bytesMax: Limits.loadResultBytesMax)
        } catch {
            throw FanfareError(.input, "\(path) cannot be read: \(error.reason)")
        }
        return try LoadBaseline(json: json, name: path, as: .history)
    }

    /// Keeps a result, and makes the page anew; a test that was stopped is not kept.
    func keep(_ result: LoadTestResult) throws(FanfareError) {
        guard result.isWhole else { return }
        let time = TimestampWriter.string(milliseconds: result.startMilliseconds)
            .replacing(":", with: "-")
        let file = path(Self.lead + time + Self.ending)
        for (path, bytes) in [
            (file, Array(result.json.utf8)), (pagePath, result.page(after: runs)),
        ] {
            do throws(FileError) {
                try SmallFile.write(bytes, to: path, isPublic: true)
            } catch {
                throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
            }
        }
    }

    /// A sentence for a result that cannot be compared yet; `nil` for one that can.
    var lacking: String? {
        let missing = LoadHistory.countMin - runs.count
        guard missing > 0 else { return nil }
        let word = runs.count == 1 ? "run" : "runs"
        return "\(runs.count) earlier \(word) with these settings in \(folder): from "
            + "\(LoadHistory.countMin) on a run is compared with them."
    }
}
