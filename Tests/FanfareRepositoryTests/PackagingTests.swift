import Foundation
import Testing

/// The files for users are put together from one place each; see also `dev/check-install` and
/// `dev/check-deb`.
@Suite struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    }

    /// A service that is started again and again for nothing fills logs, and hides that a person has to act.
    ///
    /// After 0 nothing is started again. After 4 another try may help, and after 129 and 143 the system may have ended the process.
    @Test func `a worker's service is not started again where that cannot help`() throws {
        let page = try text("docs/outcomes.md")
        let table = try #require(page.range(of: "| exit code | meaning |"))
        let codes = page[table.upperBound...].split(separator: "\n").dropFirst()
            .prefix { $0.hasPrefix("|") }
            .compactMap { $0.firstMatch(of: /^\| (\d+) \|/).map { String($0.1) } }
        #expect(codes.count >= 10)
        let unit = try text("docs/systemd/fanfare-worker@.service")
        #expect(unit.contains("\nRestart=on-failure\n"))
        let line = try #require(unit.firstMatch(of: /(?m)^RestartPreventExitStatus=(.*)$/)).1
        #expect(
            line.split(separator: " ").map(String.init)
                == codes.filter { !["0", "4", "129", "143"].contains($0) })
    }

    private var targets: Set<String> {
        get throws {
            Set(try text("Makefile").matches(of: /(?m)^([a-z]+):/).map { String($0.1) })
        }
    }

    @Test func `the image installs the library of each header that the build needs`() throws {
        let setup = try text("dev/setup")
        let packages = try #require(setup.firstMatch(of: /(?m)^build=\(([^)]*)\)$/)).1
        let image = try text("Dockerfile")
        let end = try #require(image.range(of: "FROM debian")).lowerBound
        let words = image[end...].split { $0 == " " || $0 == "\n" }
        let headers = packages.split(whereSeparator: \.isWhitespace).filter { $0.hasSuffix("-dev") }
        #expect(headers.count >= 6)
        for header in headers {
            // libnghttp2-dev has the headers of libnghttp2-14.
            let stem = header.dropLast("-dev".count)
            #expect(words.contains { $0.hasPrefix(stem) }, "Dockerfile: nothing for \(header)")
        }
    }

    @Test func `the image is built as the README says, and runs without rights`() throws {
        let image = try text("Dockerfile")
        #expect(image.contains("RUN dev/setup "))
        #expect(image.contains("RUN make install DESTDIR="))
        #expect(try text("README.md").contains("make install"))
        let user = try #require(image.firstMatch(of: /(?m)^USER (\w+)$/)).1
        #expect(user != "root" && user != "0")
        #expect(image.contains(#"ENTRYPOINT ["fanfare"]"#))
        // Both stages are of one release, or the libraries would be others.
        let releases = Set(image.matches(of: /(?m)^FROM \S*(bookworm|trixie)/).map { $0.1 })
        #expect(releases.count == 1)
    }

    /// The fields of Debian Policy 5.3 that a package must or should have, and 5.6.13 about the description.
    @Test func `the Debian package says what the policy wants`() throws {
        let script = try text("dev/deb")
        let control = try #require(
            script.firstMatch(of: /(?s)DEBIAN\/control" <<END\n(.*?)\nEND\n/)
        ).1
        let lines = control.split(separator: "\n")
        let fields = lines.filter { !$0.hasPrefix(" ") }.compactMap {
            $0.split(separator: ":").first
        }
        for field in [
            "Package", "Version", "Architecture", "Maintainer", "Installed-Size", "Depends",
            "Section", "Priority", "Description",
        ] {
            #expect(fields.filter { $0 == field }.count == 1, "\(field)")
        }
        let synopsis = try #require(lines.first { $0.hasPrefix("Description: ") }).dropFirst(13)
        #expect(synopsis.count < 80 && !synopsis.hasSuffix(".") && !synopsis.hasPrefix("a "))
        #expect(lines.filter { $0.hasPrefix(" ") }.allSatisfy { $0.count <= 80 })
        // A library that is loaded only when a job needs it is not among those that the program is linked with.
        #expect(try text("Sources/CPostgres/postgres.c").contains("libpq.so.5"))
        #expect(lines.contains { $0.hasPrefix("Suggests: ") && $0.contains("libpq5") })
    }

    @Test func `the image's compiler is new enough`() throws {
        let wanted = try #require(
            try text("Package.swift").firstMatch(of: /swift-tools-version: (\d+\.\d+)/)
        ).1
        let used = try #require(try text("Dockerfile").firstMatch(of: /FROM swift:(\d+\.\d+)/)).1
        #expect(wanted.compare(used, options: .numeric) != .orderedDescending)
        #expect(try text("README.md").contains("Swift \(wanted) or later"))
    }

    @Test(arguments: [
        "README.md", "CONTRIBUTING.md", "Dockerfile", "docs/installing.md", "docs/operating.md",
    ])
    func `what documents make is a target`(document: String) throws {
        // At the beginning of a line or of code, so that no sentence is taken for a command.
        for match in try text(document).matches(of: /(?m)(?:^|`|sudo |RUN )make ([a-z]+)/) {
            #expect(try targets.contains(String(match.1)), "make \(match.1)")
        }
    }

    @Test func `make help lists each target`() throws {
        let makefile = try text("Makefile")
        for target in try targets where !["help", "standalone"].contains(target) {
            #expect(makefile.contains("@echo 'make \(target) "), "\(target)")
        }
    }

    @Test func `tests are run by one script`() throws {
        for name in ["Makefile", "dev/check"] {
            let script = try text(name)
            #expect(script.contains("FANFARE_REQUIRE_SERVERS=1 dev/test\n"), "\(name)")
        }
        #expect(try text(".ci/run").contains("step make test\n"))
    }

    /// The names of suites that `dev/test --quick` leaves out; a changed name would leave out
    /// nothing.
    @Test func `the quick tests leave out suites that are there`() throws {
        let places = try text("dev/test").matches(of: /--skip '?([^ ')]*)/).map { String($0.1) }
        let names = places.flatMap { $0.matches(of: /Fanfare\w+Tests|Adaptive\w+Tests/) }
            .map { String($0.0) }
        #expect(names.count == 4)
        let files = try Tree.swift(in: "Tests").map(\.path)
        for name in names {
            #expect(
                files.contains { $0.hasPrefix("Tests/\(name)/") || $0.hasSuffix("/\(name).swift") },
                "\(name)")
        }
    }

    @Test func `continuous integration installs what it checks with`() throws {
        let setup = try text("dev/setup")
        let checks = try #require(setup.firstMatch(of: /(?m)^checks=\(([^)]*)\)$/)).1
        let check = try text("dev/check")
        let tools = try #require(check.firstMatch(of: /for tool in ([a-z0-9 ]+); do/)).1
        for tool in tools.split(separator: " ") {
            #expect(setup.contains("command -v \(tool) ;;"), "\(tool)")
        }
        #expect(checks.split(separator: " ").count == 3)
        #expect(try text(".ci/run").contains("step dev/setup --checks\n"))
    }
}
