import Testing

@testable import Fanfare
@testable import FanfareCore

/// Rows of a server's tables that no worker of ours has written: any member of the workers' role may write them.
@Suite struct ClusterReadingTests {
    private static let worker = "00000000-0000-0000-0000-000000000001"

    /// A row of each table, in the order of the columns that are read.
    private static let job: [String?] = [
        "77", "2", "5000000", "running", worker, worker, "100", "t", "f", nil, "3", "0", "1", "1",
        "5", "t", "{1500}", nil,
    ]
    private static let member: [String?] = [
        worker, "1", "1", "2", "3", "9", "active", "4", "1000000", "9000000", "10", "{1,2}", "5",
        "{3}", "f",
    ]
    private static let range: [String?] = [
        "1", "0", "100", "0", "50", "10", worker, "1", "0", nil, "f", "1",
    ]
    private static let grant: [String?] = [
        "1", "2", "{[0,10),[20,30)}", worker, "1", "5", "f", "f", "1",
    ]

    private static func with(_ row: [String?], _ place: Int, _ value: String) -> [String?] {
        var row = row
        row[place] = value
        return row
    }

    @Test func `rows as workers write them are read`() throws {
        #expect(try ClusterReading.job(Self.job)?.terms.rate == 5_000_000)
        #expect(try ClusterReading.job(Self.job)?.terms.policy == nil)
        #expect(try ClusterReading.job(Self.with(Self.job, 17, "-1"))?.terms.policy == .max)
        #expect(try ClusterReading.worker(Self.member).wants == 9_000_000)
        #expect(try ClusterReading.range(Self.range).grantedRows.count == 50)
        #expect(try ClusterReading.grant(Self.grant).rows.count == 20)
        // A billion starts a second, and a worker that could use all that there is.
        let fastest = Self.with(Self.job, 2, "1000000000000000")
        #expect(try ClusterReading.job(fastest)?.terms.rate == 1_000_000_000_000_000)
        #expect(try ClusterReading.worker(Self.with(Self.member, 9, "\(Int64.max)")).wants == .max)
    }

    @Test func `a job without a row is told from one that has no worker yet`() throws {
        let reading = ClusterReading(
            job: ClusterJobKey(number: 3, identity: .max),
            request: ClusterRequest(
                worker: WorkerID(bits: 1), session: 1, generation: nil, operation: .survey))
        #expect(reading.statements.contains("WHERE job = 3 AND identity = (-1)::bigint FOR UPDATE"))
        let nothing: [[[String?]]] = [[], [], [], [], [["1"]], [], [], [], []]
        #expect(try reading.model(nothing) == nil)
        var new = nothing
        new[3] = [Array(repeating: nil, count: 18)]
        #expect(try reading.model(new)?.state.job == nil)
        new[3] = [Self.job]
        #expect(try reading.model(new)?.state.job?.cutRows == 100)
        #expect(throws: ClusterRow.Fault.self) { try reading.model(Array(nothing.dropLast())) }
    }

    /// 2 to the power of 62 and its like: sums, products and differences of these have no room.
    @Test(arguments: ["4611686018427387904", "9223372036854775807", "-9223372036854775808", "-1"])
    func `numbers that no job has are refused`(number: String) {
        // protocol, rate, cut_rows, orders, outcome_epoch, ordinal, timeline.
        for place in [1, 2, 6, 10, 11, 12, 13] {
            #expect(throws: ClusterRow.Fault.self, "job \(place)") {
                try ClusterReading.job(Self.with(Self.job, place, number))
            }
        }
        // session, share, lines.
        for place in [1, 8, 10] {
            #expect(throws: ClusterRow.Fault.self, "worker \(place)") {
                try ClusterReading.worker(Self.with(Self.member, place, number))
            }
        }
        for place in [11, 13] {
            #expect(throws: ClusterRow.Fault.self, "outcomes \(place)") {
                try ClusterReading.worker(Self.with(Self.member, place, "{1,\(number)}"))
            }
        }
        // first_row, end_row, claimed, granted, lined, session, ordinal.
        for place in [1, 2, 3, 4, 5, 7, 11] {
            #expect(throws: ClusterRow.Fault.self, "range \(place)") {
                try ClusterReading.range(Self.with(Self.range, place, number))
            }
        }
        for (place, value) in [(2, "{[0,\(number))}"), (4, number), (5, number), (8, number)] {
            #expect(throws: ClusterRow.Fault.self, "grant \(place)") {
                try ClusterReading.grant(Self.with(Self.grant, place, value))
            }
        }
        for place in 0..<9 where place != 2 && place != 3 {
            let cut: [String?] = ["0", "100", "123", "t", "0", "0", "1", "5000", "100"]
            #expect(throws: ClusterRow.Fault.self, "cut \(place)") {
                try ClusterReading.cut(Self.with(cut, place, number))
            }
        }
    }

    /// 4,294,967,296 is within the bound, and behind the range's end.
    @Test(arguments: [(2, "0"), (2, "49"), (3, "51"), (4, "101"), (4, "4294967296"), (1, "1")])
    func `a range is in order`(place: Int, value: String) {
        #expect(throws: ClusterRow.Fault.self) {
            try ClusterReading.range(Self.with(Self.range, place, value))
        }
    }

    @Test func `seconds are finite`() throws {
        var row = ClusterRow(["Infinity", "NaN", "-3", "1e300"])
        #expect(try row.seconds() == 0)
        #expect(try row.seconds() == 0)
        #expect(try row.seconds() == 0)
        #expect(try row.seconds() == 281_474_976_710_656)
    }

    @Test func `sums of a job's rows have room`() {
        var sum: UInt64 = 7
        ClusterControl.add(RowIntervals(0..<50), to: &sum)
        #expect(sum == 57)
        sum = .max - 3
        ClusterControl.add(RowIntervals(0..<1 << 48), to: &sum)
        #expect(sum == .max)
    }

    @Test func `more workers than a job has are not read`() {
        let line: [String?] = ["w", "active", "1", "1", "1", Self.worker]
        let many = Array(repeating: line, count: 2_049)
        #expect(throws: ClusterRow.Fault.self) {
            try ClusterControl.status(named: "july", [[Self.job], many, [], []])
        }
    }
}
