import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The memory of a worker's folder, and the rows in the hands of its lanes.
struct ClusterFolderFileTests {
    private var folder: ClusterFolder {
        var folder = ClusterFolder(
            worker: WorkerID(bits: 0x0123_4567_89AB_CDEF_0011_2233_4455_6677))
        folder.job = 0x0FFF_FFFF_FFFF_FFFF
        folder.session = 3
        folder.place = ClusterPlace(host: 1, boot: .max, file: 3)
        folder.generation = ClusterGeneration(ordinal: 1, timeline: 2, nonce: .max)
        var rows = RowIntervals(0..<10)
        rows.insert(20..<30)
        folder.held = [
            .init(
                key: GrantKey(range: .drawn(5), epoch: .max), rows: rows, isInDoubt: true),
            .init(key: GrantKey(range: .cut(at: 7), epoch: 0), rows: rows, isInDoubt: false),
        ]
        folder.rows = rows
        folder.backs = [
            .init(
                key: GrantKey(range: .drawn(7), epoch: .max), tail: 25, scattered: rows,
                newKey: .drawn(.max), kept: RowIntervals(12..<13)),
            .init(
                key: GrantKey(range: .cut(at: 7), epoch: 0), tail: 0, scattered: RowIntervals(),
                newKey: .drawn(1)),
        ]
        folder.grantedTwice = RowIntervals(22..<25)
        folder.writtenOff = RowIntervals(40..<50)
        return folder
    }

    @Test func `a folder is read back as it was written`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        #expect(try file.read() == nil)
        try file.write(ClusterFolder(worker: WorkerID(bits: 1)))
        try file.write(folder)
        #expect(try file.read() == folder)
        try file.remove()
        #expect(try file.read() == nil)
    }

    /// On a full disk there is none, and the worker has to give its rows back.
    @Test func `a change needs no new room`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        var folder = ClusterFolder(worker: WorkerID(bits: 1))
        try file.write(folder)
        let size = try place.bytes("report.csv.cluster").count
        try place.link("report.csv.cluster.new", to: place.path("no/such"))
        // Each row that goes back lies between two that do not.
        for row in UInt64(0)..<1000 {
            folder.rows.insert(2_000_000 + 2 * row..<2_000_001 + 2 * row)
        }
        for _ in 0..<3 {
            try file.write(folder)
            #expect(try file.read() == folder)
        }
        #expect(try place.bytes("report.csv.cluster").count == size)
    }

    @Test(arguments: [false, true])
    func `a write that was torn leaves what was there before`(knowsItsPlace: Bool) throws {
        let place = try TemporaryFolder()
        let name = "report.csv.cluster"
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        var folders: [ClusterFolder] = []
        var last: ClusterFolderFile.Place?
        for session in 1...4 {
            var folder = self.folder
            folder.session = session
            folders.append(folder)
            let before = place.exists(name) ? try place.bytes(name) : []
            last = try file.write(folder, over: knowsItsPlace ? last : nil)
            let after = try place.bytes(name)
            guard session > 1 else { continue }
            let changed = after.indices.filter { after[$0] != before[$0] }
            for count in stride(from: 1, to: changed.count, by: 7) {
                var torn = before
                for index in changed.prefix(count) { torn[index] = after[index] }
                try place.write(torn, to: name)
                #expect(try file.read() == folders[session - 2])
            }
            try place.write(after, to: name)
            #expect(try file.read() == folder)
        }
    }

    /// A person may do so while its process runs.
    @Test func `a file that was removed is made anew`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        let last = try file.write(folder)
        try file.remove()
        try file.write(folder, over: last)
        #expect(try file.read() == folder)
    }

    @Test func `a folder has any number of intervals`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        var folder = self.folder
        for row in UInt64(0)..<9000 {
            folder.rows.insert(2_000_000 + 2 * row..<2_000_001 + 2 * row)
        }
        try file.write(self.folder)
        try file.write(folder)
        #expect(try file.read() == folder)
        try file.write(self.folder)
        #expect(try file.read() == self.folder)
    }

    /// A half of the earlier version would be the newest one to a program of that version.
    @Test func `nothing of an earlier version is left once this one has written`() throws {
        let place = try TemporaryFolder()
        let name = "report.csv.cluster"
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        let bodies = [3, 4].map {
            """
            fanfare cluster 2
            sequence \($0)
            worker 01234567-89ab-cdef-0011-223344556677
            session \($0)
            rows {[0,9)}

            """
        }
        let halves = bodies.map { body -> [UInt8] in
            let text = Array((body + "sum \(Checksum.of(Array(body.utf8)))\n").utf8)
            return text + Array(repeating: 0, count: 65_536 - text.count)
        }
        try place.write(halves[0] + halves[1], to: name)
        #expect(try file.isWorkers)
        var folder = try #require(try file.read())
        #expect(folder.session == 4 && folder.writtenOff.isEmpty)
        folder.writtenOff = RowIntervals(20..<30)
        try file.write(folder)
        #expect(try file.read() == folder)
        #expect(try place.bytes(name).firstRange(of: Array("cluster 2".utf8)) == nil)
    }

    @Test func `what an earlier version has written is read`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        let body = """
            fanfare cluster 1
            worker 01234567-89ab-cdef-0011-223344556677
            session 3
            held 5 6 0 {[0,3)}
            rows {[0,9)}

            """
        try place.write(
            body + "sum \(Checksum.of(Array(body.utf8)))\n", to: "report.csv.cluster")
        #expect(try file.isWorkers)
        var folder = try #require(try file.read())
        #expect(folder.session == 3 && folder.heldRows == RowIntervals(0..<3))
        folder.session = 4
        try file.write(folder)
        #expect(try file.read() == folder)
    }

    /// Each of these is counted up.
    @Test(arguments: ["session", "generation", "sequence"])
    func `a number that no folder has is damage`(line: String) throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        let most = "9223372036854775807"
        let body = """
            fanfare cluster 1
            sequence \(line == "sequence" ? "18446744073709551615" : "1")
            worker 01234567-89ab-cdef-0011-223344556677
            session \(line == "session" ? most : "3")
            generation \(line == "generation" ? most : "1") 1 5
            rows {[0,9)}

            """
        try place.write(
            body + "sum \(Checksum.of(Array(body.utf8)))\n", to: "report.csv.cluster")
        #expect(throws: FanfareError.self) { try file.read() }
    }

    @Test func `another file that has the name is no worker's`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        #expect(try !file.isWorkers)
        for text in ["", "token,name\n", "fanfare cluster 1", "fanfare cluster 10\n"] {
            try place.write(text, to: "report.csv.cluster")
            #expect(try !file.isWorkers)
            #expect(try !file.mayBelong(toJob: 7))
        }
    }

    @Test func `a folder belongs to its job, or to any if it does not say to which`() throws {
        let place = try TemporaryFolder()
        let file = ClusterFolderFile(besideReport: place.path("report.csv"))
        var folder = self.folder
        folder.job = 7
        try file.write(folder)
        #expect(try file.isWorkers)
        #expect(try file.mayBelong(toJob: 7))
        #expect(try !file.mayBelong(toJob: 8))
        folder.job = nil
        try file.write(folder)
        #expect(try file.mayBelong(toJob: 8))
        // A damaged one does not say it either.
        try place.write("fanfare cluster 1\njob 7\n", to: "report.csv.cluster")
        #expect(try file.mayBelong(toJob: 8))
    }

    @Test func `a damaged folder is no folder`() throws {
        let text = ClusterFolderFile.text(of: folder)
        #expect(ClusterFolderFile.folder(text) == folder)
        for place in text.indices {
            var damaged = text
            damaged.replaceSubrange(place...place, with: text[place] == "1" ? "2" : "1")
            #expect(ClusterFolderFile.folder(damaged) == nil)
            #expect(ClusterFolderFile.folder(String(text[..<place])) == nil)
        }
    }

    @Test func `a worker's name is a UUID`() {
        let worker = WorkerID(bits: 0x0123_4567_89AB_CDEF_0011_2233_4455_6677)
        #expect(worker.text == "01234567-89ab-cdef-0011-223344556677")
        #expect(WorkerID(text: worker.text) == worker)
        #expect(WorkerID(text: worker.text.uppercased()) == worker)
        #expect(WorkerID(bits: 0).text == "00000000-0000-0000-0000-000000000000")
        #expect(WorkerID(bits: .max).text == "ffffffff-ffff-ffff-ffff-ffffffffffff")
        for text in [
            "", "nobody", "0123456789abcdef0011223344556677", "01234567-89ab-cdef-0011-22334455667",
            "01234567-89ab-cdef-0011-2233445566777", "0123456-789ab-cdef-0011-223344556677",
            "0123456g-89ab-cdef-0011-223344556677",
        ] {
            #expect(WorkerID(text: text) == nil, "\(text)")
        }
    }

    @Test func `rows are written as PostgreSQL writes them`() {
        var rows = RowIntervals(0..<3)
        rows.insert(7..<9)
        #expect(rows.multirange == "{[0,3),[7,9)}")
        #expect(RowIntervals(multirange: "{[0,3),[7,9)}") == rows)
        #expect(RowIntervals(multirange: "{}") == RowIntervals())
        for text in ["", "{[0,3)", "{[3,3)}", "{[0,3),[7)}"] {
            #expect(RowIntervals(multirange: text) == nil, "\(text)")
        }
    }

    @Test func `rows without a line are known by their grant`() {
        let (one, other) = (
            GrantKey(range: .cut(at: 0), epoch: 1), GrantKey(range: .cut(at: 100), epoch: 2)
        )
        var rows = ClusterHandedOut()
        rows.add(.init(key: one, rows: 0..<70, isInDoubt: false))
        rows.add(.init(key: other, rows: 100..<103, isInDoubt: false))
        rows.add(.init(key: one, rows: 70..<80, isInDoubt: false))
        #expect(rows.openRows == 83)
        // Lines name rows from 1 on, in the order in which they are written.
        rows.lined(ArraySlice((UInt64(1)...70).reversed().filter { $0 != 66 }))
        // A second line of a row changes nothing, and neither do rows that were not handed out.
        rows.lined([4, 4, 90, 4, 99, 104])
        #expect(rows.openRows == 14)
        func lined() -> [GrantKey: UInt64] {
            Dictionary(uniqueKeysWithValues: rows.progress().map { ($0.key, $0.lined) })
        }
        #expect(lined() == [one: 65, other: 100])
        var expected = RowIntervals(0..<65)
        expected.insert(66..<70)
        #expect(rows.linedRows == expected)
        // One block has the lines of several grants.
        rows.lined([101, 66, 71, 102])
        #expect(lined() == [one: 71, other: 102])
        rows.lined(ArraySlice(72...80))
        #expect(lined()[one] == 80)
        #expect(rows.openRows == 1)
        // It was told, and is not told again.
        #expect(lined()[one] == nil)
    }

    @Test func `lines in any order, and in runs over many words, are each counted once`() {
        for seed in UInt64(1)...100 {
            var dice = SplitMix64(seed: seed)
            let key = GrantKey(range: .cut(at: 0), epoch: 1)
            var rows = ClusterHandedOut()
            rows.add(.init(key: key, rows: 10..<310, isInDoubt: false))
            rows.add(.init(key: key, rows: 310..<411, isInDoubt: false))
            var open = Set(UInt64(11)...411)
            while !open.isEmpty {
                let first = UInt64(1) + dice.next() % 420
                let lines = (first..<first + 1 + dice.next() % 150).filter { _ in
                    seed % 2 == 0 || dice.next() % 8 > 0
                }
                rows.lined(ArraySlice(lines))
                open.subtract(lines)
                #expect(rows.openRows == UInt64(open.count))
                let lined = rows.progress().first?.lined
                #expect(lined == nil || lined == (open.min() ?? 412) - 1)
            }
        }
    }
}
