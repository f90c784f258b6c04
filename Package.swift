// swift-tools-version: 6.2

import PackageDescription

/// One set of rules for every Swift target.
///
/// Warnings are errors. `dev/mark-unsafe` relaxes that for one build, because the compiler only
/// offers its fix-its for warnings.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
        .strictMemorySafety(),
    ]
    + (Context.environment["FANFARE_WARNINGS"] == "allow"
        ? [] : [.treatAllWarnings(as: .error)])

/// Tests borrow pointers and force values all the time; the safety marks would only be noise there.
let strictTests: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// The settings of most tests, which do not simulate.
///
/// Continuous integration optimizes what it tests, and these not; and nothing waits for their modules, which the
/// compiler would make by themselves. So they are compiled in half of the time.
let tests: [SwiftSetting] =
    strictTests
    + (Context.environment["FANFARE_TESTS"] == "plain"
        ? [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])] : [])

/// What the targets of dev/fuzz read with.
let fuzzed: [Target.Dependency] = [
    "Fanfare", "FanfareBase", "FanfareCLI", "FanfareCore", "FanfareHTTP1", "FanfareHTTP2",
    "FanfareJSON", "FanfareSimulator", "FanfareTLS", "FanfareTestSupport", "CNghttp2", "COpenSSL",
]

let package = Package(
    name: "fanfare",
    products: [
        .library(name: "Fanfare", targets: ["Fanfare"]),
        .library(name: "FanfareFoundation", targets: ["FanfareFoundation"]),
        .library(name: "FanfareSimulator", targets: ["FanfareSimulator"]),
        .executable(name: "fanfare", targets: ["FanfareCLI"]),
    ],
    targets: [
        // One C library, one wrapper target: "who may call nghttp2" is answered by the compiler.
        .systemLibrary(
            name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CLines"),
        .systemLibrary(name: "CPrefetch"),
        .systemLibrary(name: "CSystem"),
        // libpq is loaded when a job needs it, so the program runs where it is not installed.
        .target(name: "CPostgres"),
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        // The descriptions of providers that come with the program, which is one file.
        .target(name: "CShipped", exclude: ["providers"]),

        // What every other target may need: bytes, text, time, bounds.
        .target(name: "FanfareBase", swiftSettings: strict),
        // Decisions, as plain values.
        .target(
            name: "FanfareCore", dependencies: ["FanfareBase", "CLines"], swiftSettings: strict),
        // What people and scripts look at: text, JSON and pages.
        .target(
            name: "FanfareFigures", dependencies: ["FanfareBase", "FanfareCore"],
            swiftSettings: strict),
        .target(
            name: "FanfareJSON", dependencies: ["FanfareBase", "FanfareCore", "CSimdjson"],
            swiftSettings: strict),
        // Files, threads, clocks and memory that is mapped.
        .target(
            name: "FanfareSystem", dependencies: ["FanfareBase", "CSystem"], swiftSettings: strict),
        .target(
            name: "FanfareLoop", dependencies: ["FanfareBase", "FanfareSystem", "CUV"],
            swiftSettings: strict),
        .target(
            name: "FanfareTLS", dependencies: ["FanfareBase", "COpenSSL"], swiftSettings: strict),
        // Clients; it uses no C library.
        .target(name: "FanfareHTTP2", dependencies: ["FanfareBase"], swiftSettings: strict),
        // The same for HTTP/1.1; what a request and an answer are it takes from there.
        .target(
            name: "FanfareHTTP1", dependencies: ["FanfareBase", "FanfareHTTP2"],
            swiftSettings: strict),
        .target(
            name: "FanfareHTTP2Server", dependencies: ["FanfareBase", "FanfareHTTP2", "CNghttp2"],
            swiftSettings: strict),
        .target(
            name: "FanfareCompression", dependencies: ["FanfareBase", "CZlib", "CZstd"],
            swiftSettings: strict),
        .target(
            name: "FanfareSQLite", dependencies: ["FanfareBase", "CSQLite"], swiftSettings: strict),
        .target(
            name: "FanfarePostgres", dependencies: ["FanfareBase", "FanfareSystem", "CPostgres"],
            swiftSettings: strict),
        .target(
            name: "Fanfare",
            dependencies: [
                "FanfareBase", "FanfareCore", "FanfareFigures", "FanfareJSON", "FanfareSystem",
                "FanfareLoop", "FanfareTLS", "FanfareHTTP1", "FanfareHTTP2", "FanfareCompression",
                "FanfareSQLite", "FanfarePostgres", "CPrefetch", "CShipped",
            ],
            swiftSettings: strict),
        // Dates and encodable payloads for programs that use Foundation, which Fanfare itself does not.
        .target(
            name: "FanfareFoundation", dependencies: ["Fanfare", "FanfareBase", "FanfareCore"],
            swiftSettings: strict),
        // A provider to try things out with, which a program links only if it says so.
        .target(
            name: "FanfareSimulator",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareCore", "FanfareJSON", "FanfareSystem",
                "FanfareLoop", "FanfareTLS", "FanfareHTTP2", "FanfareHTTP2Server",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "FanfareCLI",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareCore", "FanfareFigures", "FanfareHTTP2",
                "FanfareJSON", "FanfareLoop", "FanfareSimulator", "FanfareSystem",
                "FanfareTLS",
            ],
            swiftSettings: strict),

        // The example of a program that uses the library: a package of its own, which is compiled with
        // this one too, so that it is always right and its tests need no second build.
        .executableTarget(
            name: "FanfareExample", dependencies: ["Fanfare", "FanfareSimulator"],
            path: "docs/example/Sources/FanfareExample", packageAccess: false,
            swiftSettings: strictTests),

        .target(
            name: "FanfareTestSupport",
            dependencies: ["COpenSSL", "FanfareBase", "FanfareCore", "FanfareJSON", "FanfareTLS"],
            path: "Tests/FanfareTestSupport", swiftSettings: strictTests),
        .testTarget(
            name: "FanfareCoreTests",
            dependencies: ["FanfareBase", "FanfareCore", "FanfareFigures", "FanfareTestSupport"],
            swiftSettings: tests),
        // Workers that share a job, against a model of their engine.
        .testTarget(
            name: "FanfareClusterTests",
            dependencies: ["FanfareBase", "FanfareCore", "FanfareTestSupport"],
            swiftSettings: strictTests),
        .testTarget(
            name: "FanfareFiguresTests",
            dependencies: ["FanfareBase", "FanfareCore", "FanfareFigures", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareJSONTests",
            dependencies: ["FanfareBase", "FanfareCore", "FanfareJSON", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareSystemTests",
            dependencies: ["FanfareBase", "FanfareSystem", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareLoopTests",
            dependencies: ["FanfareBase", "FanfareLoop", "FanfareSystem"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareTLSTests",
            dependencies: ["FanfareBase", "FanfareTLS", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareHTTP2Tests",
            dependencies: ["FanfareBase", "FanfareHTTP2", "FanfareHTTP2Server"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareHTTP1Tests",
            dependencies: ["FanfareBase", "FanfareHTTP1", "FanfareHTTP2", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareCompressionTests",
            dependencies: ["FanfareBase", "FanfareCompression", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareSQLiteTests",
            dependencies: ["FanfareBase", "FanfareSQLite", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareSimulatorTests",
            dependencies: [
                "FanfareBase", "FanfareCore", "FanfareHTTP2", "FanfareHTTP2Server",
                "FanfareSimulator",
                "FanfareTestSupport",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareTests",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareCompression", "FanfareFigures",
                "FanfareFoundation", "FanfareHTTP2Server", "FanfareSimulator", "FanfareSQLite",
                "FanfareTestSupport",
            ],
            swiftSettings: tests),
        // What the repository is like: its rules, its packaging.
        .testTarget(name: "FanfareRepositoryTests", swiftSettings: tests),
        // What the documents show, as a program outside of the package would have it.
        .testTarget(
            name: "FanfareSnippetTests",
            dependencies: ["Fanfare", "FanfareFoundation", "FanfareSimulator"],
            packageAccess: false, swiftSettings: tests),
        .testTarget(
            name: "FanfareCLITests",
            dependencies: ["FanfareBase", "FanfareCLI", "FanfareTestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareSimulationTests",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareSimulator", "FanfareSystem", "FanfareTestSupport",
            ],
            swiftSettings: strictTests),
        // The targets of dev/fuzz, which replays the inputs that are kept.
        .testTarget(
            name: "FanfareFuzzTests", dependencies: fuzzed, exclude: ["Entry"],
            swiftSettings: tests),
        .testTarget(
            name: "FanfareLoopbackTests",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareCLI", "FanfareCore", "FanfareExample",
                "FanfareSimulator", "FanfareTLS", "FanfareTestSupport",
            ],
            swiftSettings: tests),
    ],
    cxxLanguageStandard: .cxx17
)

// Built by Benchmarks/micro alone: nothing else has a use for it.
if Context.environment["FANFARE_MICROBENCHMARKS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "FanfareMicrobenchmarks",
            dependencies: [
                "FanfareBase", "FanfareCore", "FanfareJSON", "FanfareHTTP2", "FanfareHTTP2Server",
            ],
            path: "Benchmarks/Microbenchmarks", swiftSettings: strictTests))
}

// Built by dev/fuzz alone: libFuzzer brings the function `main`. So nothing else may have one, and the
// command line becomes a library; the sources are those of the test target.
if Context.environment["FANFARE_FUZZER"] != nil {
    let others = ["FanfareCLI", "FanfareExample", "FanfareMicrobenchmarks"]
    package.products.removeAll { $0.name == "fanfare" }
    package.targets.removeAll { $0.type == .test || others.contains($0.name) }
    package.targets += [
        .target(
            name: "FanfareCLI",
            dependencies: [
                "Fanfare", "FanfareBase", "FanfareCore", "FanfareFigures", "FanfareHTTP2",
                "FanfareJSON", "FanfareLoop", "FanfareSimulator", "FanfareSystem",
                "FanfareTLS",
            ],
            swiftSettings: strict + [
                .unsafeFlags([
                    "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "fanfare_main",
                ])
            ]),
        .executableTarget(
            name: "FanfareFuzzer", dependencies: fuzzed, path: "Tests/FanfareFuzzTests",
            exclude: ["CorpusTests.swift"], swiftSettings: strictTests),
    ]
}

// The test targets of FANFARE_ONLY, by commas, and what they need: between two changes dev/test builds no more.
if let only = Context.environment["FANFARE_ONLY"] {
    var needed: Set<String> = []
    var names = only.split(separator: ",").map(String.init)
    while let name = names.popLast() {
        guard needed.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("FANFARE_ONLY: there is no target \(name)")
        }
        for case .byNameItem(let dependency, _) in target.dependencies { names.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let targets =
            (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets
            ?? []
        return !targets.allSatisfy(needed.contains)
    }
}
