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
        // session, beat, share, lines.
        for place in [1, 7, 8, 10] {
            #expect(throws: ClusterRow.Fault.self, "worker \(place)") {
                try ClusterReading.worker(Self.with(Self.member, place, number))
            }
        }
        for verdict in ["inputs_differ \(number)", "granted_twice 0 \(number)"] {
            #expect(throws: ClusterRow.Fault.self, "\(verdict)") {
                try ClusterReading.job(Self.with(Self.job, 9, verdict))
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

    // MARK: Status

    /// A row of a worker as `status` asks for it.
    private static func shown(
        _ name: String, _ state: String, silent: String, _ worker: String,
        outcomes: String = "{10,0,2}", writesOff: String? = nil
    ) -> [String?] {
        [
            name, state, "12", "1000000", silent, worker, "/r/\(name).csv", "m-\(name)", outcomes,
            "30", writesOff, "999",
        ]
    }

    private static let other = "00000000-0000-0000-0000-000000000002"

    /// 100 rows: worker 1 has 0 to 49 of which 10 have lines, worker 2 has 20 of which 5 have lines; 30 rows are with no worker.
    private static func status(
        _ state: String, silent: String, job: [String?] = job, writesOff: String? = nil,
        words: [[String?]] = []
    ) throws -> ClusterControl.Status {
        try ClusterControl.status(
            named: "july",
            [
                [job],
                [
                    shown("w", "active", silent: "0.5", worker, writesOff: writesOff),
                    shown("w", state, silent: silent, other, outcomes: "{0,0,0,0,0,0,5}"),
                ],
                [
                    ["1", "0", "80", "0", "50", "10", worker, "1", "0", nil, "f", "1"],
                    // It was granted all of these.
                    ["2", "80", "100", "80", "100", "85", other, "1", "0", nil, "f", "1"],
                ],
                [], words,
            ])
    }

    @Test func `the rows of a job are told once each`() throws {
        let live = try Self.status("active", silent: "1")
        #expect(live.finishedRows == 15 && live.grantedRows == 55)
        #expect(live.waitingRows == 30 && live.doubtfulRows == 0)
        // Its state is what another worker has said, and its age is by the server's clock: either is enough.
        for (state, silent) in [("active", "15"), ("lost", "2"), ("given_up", "99"), ("left", "1")]
        {
            let lost = try Self.status(state, silent: silent)
            #expect(lost.finishedRows == 15 && lost.grantedRows == 40)
            #expect(lost.waitingRows == 30 && lost.doubtfulRows == 15)
            #expect(lost.workers.map(\.doubtfulRows) == [0, 15] && lost.aliveCount == 1)
        }
    }

    @Test func `rows for which a live worker writes lines are in doubt`() throws {
        let grant: [String?] = ["1", "2", "{[0,10)}", Self.worker, "1", "4", "t", "f", "1"]
        let status = try ClusterControl.status(
            named: "july",
            [
                [Self.job], [Self.shown("w", "active", silent: "1", Self.worker)], [], [grant], [],
            ])
        #expect(status.doubtfulRows == 6 && status.finishedRows == 94)
    }

    @Test func `figures are those of live workers, and outcomes those of all`() throws {
        let status = try Self.status("lost", silent: "20", writesOff: "39.2")
        #expect(status.rowsPerSecond == 30)
        // 85 rows at 30 a second.
        #expect(status.secondsLeft == 3)
        #expect(status.writesOffSeconds == 39.2)
        #expect(status.outcomes.inOrder == [10, 0, 2, 0, 0, 0, 5, 0, 0])
        #expect(status.workers.map(\.label) == ["w#1", "w#2"])
        #expect(status.workers.map(\.machine) == ["m-w", "m-w"])
        #expect(status.workers.map(\.requestMilliseconds) == [999, 999])
    }

    @Test func `a row with two lines counts once when the job is finished`() throws {
        let status = try ClusterControl.status(
            named: "july",
            [
                [Self.with(Self.with(Self.job, 3, "finished"), 6, "100")],
                [
                    Self.shown("a", "active", silent: "1", Self.worker, outcomes: "{90}"),
                    // Twelve rows were written off, and the worker came back with lines for two of them.
                    Self.shown(
                        "b", "active", silent: "1", Self.other, outcomes: "{0,0,0,0,0,0,12}"),
                ], [], [], [],
            ])
        #expect(status.finishedRows == 100)
        #expect(status.outcomes[.accepted] == 90 && status.outcomes[.unknown] == 10)
    }

    @Test func `a job that nobody is left to stop is stopped`() throws {
        let stopping = Self.with(Self.with(Self.job, 3, "stopping"), 9, "outcomes")
        #expect(try Self.status("active", silent: "1", job: stopping).state == .stopping)
        let dead = try ClusterControl.status(
            named: "july",
            [
                [stopping], [Self.shown("w", "active", silent: "15", Self.worker)], [], [],
                [[Self.worker, "--stop-if failed>3\u{1B}[2J"]],
            ])
        #expect(dead.state == .stopped)
        #expect(dead.stop == ClusterStopWords(worker: "w", reason: "--stop-if failed>3\u{FFFD}[2J"))
    }

    @Test func `more workers than a job has are not read`() throws {
        let line = Self.shown("w", "active", silent: "1", Self.worker)
        #expect(
            try ClusterControl.status(named: "july", [[Self.job], [line], [], [], []]).workers.count
                == 1)
        let many = Array(repeating: line, count: 2_049)
        #expect(throws: ClusterRow.Fault.self) {
            try ClusterControl.status(named: "july", [[Self.job], many, [], [], []])
        }
    }
}
