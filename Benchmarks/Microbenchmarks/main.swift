/// What the parts of the hot path take, each for itself; `Benchmarks/micro` runs it and keeps the figures.
///
///     FanfareMicrobenchmarks [RUNS [MILLISECONDS [PREFIX]]]
///
/// A line for each: name, operations of a run, bytes of an operation, nanoseconds of an operation in
/// each run.
import Glibc

let words = CommandLine.arguments.dropFirst().map { $0 }
let runs = words.isEmpty ? 11 : Int(words[0]) ?? 0
let milliseconds = words.count < 2 ? 50 : UInt64(words[1]) ?? 0
guard runs > 0, milliseconds > 0 else {
    var usage = "FanfareMicrobenchmarks [RUNS [MILLISECONDS [PREFIX]]]\n"
    usage.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
}
let meter = Meter(
    runs: runs, nanosecondsMin: milliseconds * 1_000_000, prefix: words.count < 3 ? "" : words[2])
let material = Material()
try measureRows(meter, material)
try measureSessions(meter)
measureReports(meter, material)
