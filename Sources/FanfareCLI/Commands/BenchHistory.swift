import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
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
    ///
    /// One damaged file does not keep a nightly run from its work.
    /// - Returns: Warnings about files that are no results, and are left out.
    /// - Throws: `FanfareError` about the folder, or a page in it that is not ours.
    mutating func read(for test: LoadTest) throws(FanfareError) -> [String] {
        guard FileDescriptor.isFolder(folder) else {
            let isFile = FileDescriptor.exists(folder)
            throw FanfareError(
                .configuration,
                isFile
                    ? "\(.history) \(folder) is a file, and a folder is needed; name another"
                    : "\(.history) \(folder) is no folder; mkdir -p \(folder) makes one")
        }
        var found: [LoadBaseline] = []
        var warnings: [String] = []
        // Names begin with the time, so the latest run has the last name.
        for name in try names().sorted(by: >) where found.count < runsMax {
            do throws(FanfareError) {
                let run = try Self.result(at: path(name))
                if test.matches(run) { found.append(run) }
            } catch {
                warnings.append(error.statement.text(.commandLine) + "; this run is left out")
            }
        }
        for run in found.reversed() { runs.add(run) }
        try checkPage()
        return warnings
    }

    /// Checks that the page can be written, and replaces no page but an earlier one.
    private func checkPage() throws(FanfareError) {
        let isOurs: Bool
        do throws(FileError) {
            isOurs = try isPageOurs()
            if isOurs { try FileDescriptor.checkWritable(pagePath, isPublic: true) }
        } catch {
            throw FanfareError(.output, "\(pagePath) cannot be written: \(error.reason)")
        }
        guard isOurs else {
            throw FanfareError(
                .output,
                "\(pagePath) is not a page of earlier runs, and would be replaced by one; move it, or "
                    + "name another folder with \(.history)")
        }
    }

    /// True if there is no page, an empty file, or an earlier page.
    private func isPageOurs() throws(FileError) -> Bool {
        guard FileDescriptor.exists(pagePath) else { return true }
        guard FileDescriptor.isRegularFile(pagePath) else { return false }
        let page = try SmallFile.read(pagePath, bytesMax: Limits.historyPageBytesMax)
        return page.isEmpty || HistoryPage.isOne(page)
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
    func keep(_ test: LoadTestResult) throws(FanfareError) {
        guard test.result.stop == nil else { return }
        let time = TimestampWriter.string(milliseconds: test.result.stamp.startMilliseconds)
            .replacing(":", with: "-")
        let file = path(Self.lead + time + Self.ending)
        for (path, bytes) in [
            (file, Array(test.json.utf8)), (pagePath, test.page(after: runs)),
        ] {
            do throws(FileError) {
                try SmallFile.replace(bytes, at: path)
            } catch {
                throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
            }
        }
    }

    /// A sentence for a result that cannot be compared yet; `nil` for one that can.
    var lacking: String? {
        let missing = LoadComparison.runsMin - runs.count
        guard missing > 0 else { return nil }
        let word = runs.count == 1 ? "run" : "runs"
        return "\(runs.count) earlier \(word) with these settings in \(folder): a run is "
            + "compared once there are \(LoadComparison.runsMin)."
    }
}

extension Limits {
    /// The largest page of earlier runs that is looked at: with all runs that it may show it has less.
    static let historyPageBytesMax = 16 * 1024 * 1024
}
