import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Tables of another version than this program's, on a real server: what each command says, and what it leaves alone.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterVersionTests {
    private let server: PostgresServer
    private let control: ClusterControl

    init() throws {
        server = try PostgresServer()
        control = ClusterControl(server.address)
        try control.makeTables()
    }

    /// Makes the tables what an earlier version had, with a job and a worker of it.
    private func goBack(to version: Int = 1, jobState: String, seen: String) throws {
        _ = try server.query(
            """
            ALTER TABLE fanfare.jobs DROP COLUMN policy, DROP COLUMN settings,
            DROP COLUMN stopped_by, DROP COLUMN stop_reason;
            ALTER TABLE fanfare.workers DROP COLUMN machine, DROP COLUMN totals, DROP COLUMN speed,
            DROP COLUMN step_ms, DROP COLUMN writes_off;
            UPDATE fanfare.meta SET version = \(version);
            INSERT INTO fanfare.jobs (name, identity, fingerprint, protocol, state, cut_rows)
            VALUES ('july', 7, 1, 1, '\(jobState)', 500);
            INSERT INTO fanfare.workers (job, worker, name, session, host, boot, file, nonce, state,
            beat, share, wants, lines, outcomes, counter, earlier_outcomes, has_other_input, seen)
            SELECT job, '00000000-0000-0000-0000-000000000001', 'web3', 1, 1, 1, 1, 1, 'active', 9,
            0, 0, 480, '{470,10}', 1, '{}', false, now() - interval '\(seen)'
            FROM fanfare.jobs
            """)
        guard version == 1 else { return }
        _ = try server.query(
            """
            ALTER TABLE fanfare.jobs DROP COLUMN outcome_epoch, DROP COLUMN holds;
            ALTER TABLE fanfare.workers DROP COLUMN counter, DROP COLUMN earlier_outcomes
            """)
    }

    /// The words of each command about the tables as they are.
    private func complaints() -> [String] {
        let commands: [() throws -> Void] = [
            { _ = try control.jobs() }, { _ = try control.status(of: "july") },
            { _ = try control.order([.pause(true)], to: "july") },
            { try control.giveUp("web3", of: "july") },
            { _ = try control.audit(ReportDigest(), of: "july") },
            { _ = try control.remove("july", isUnfinishedToo: true) },
            { _ = try control.lostReport(of: "web3", ReportDigest(), in: "july") },
            {
                _ = try ClusterEngine(server.address)
                    .enter("august", as: 8, deadline: .distantFuture)
            },
        ]
        return commands.map { command in
            do {
                try command()
                return "no complaint"
            } catch {
                return "\(error)"
            }
        }
    }

    @Test(arguments: [1, 2])
    func `commands ask for the tables of an earlier version to be brought to theirs`(
        version: Int
    ) throws {
        try goBack(to: version, jobState: "stopped", seen: "1 hour")
        for complaint in complaints() {
            #expect(complaint.contains("version \(version)"), "\(complaint)")
            #expect(complaint.contains("fanfare cluster init"), "\(complaint)")
        }
        #expect(try server.query("SELECT string_agg(name, ' ') FROM fanfare.jobs") == "july")

        try control.makeTables()
        #expect(try server.query("SELECT version FROM fanfare.meta") == "\(ClusterSchema.version)")
        let status = try control.status(of: "july")
        #expect(status.job?.state == .stopped && status.job?.cutRows == 500)
        #expect(status.workers.map(\.name) == ["web3"] && status.workers.map(\.rows) == [480])
        // The role of the workers may write what is new, too.
        _ = try server.query(
            "SET ROLE fanfare_worker; UPDATE fanfare.workers SET counter = 5; "
                + "UPDATE fanfare.jobs SET outcome_epoch = 1, policy = 2, settings = 'topic=1', "
                + "stop_reason = 'x'; UPDATE fanfare.workers SET machine = 'm', totals = '{1}', step_ms = 1"
        )
    }

    @Test(arguments: ["proving", "running", "stopping", "stopped"])
    func `tables that a worker uses stay as they are`(state: String) throws {
        try goBack(jobState: state, seen: "5 s")
        let error = #expect(throws: FanfareError.self) { try control.makeTables() }
        #expect(error?.message.contains("workers of july use them") == true)
        #expect(error?.message.contains("PL/pgSQL") == false)
        #expect(try server.query("SELECT version FROM fanfare.meta") == "1")
        #expect(
            try server.query(
                "SELECT count(*) FROM information_schema.columns WHERE column_name = 'counter'")
                == "0")
    }

    @Test func `tables of a later version are left alone`() throws {
        let later = ClusterSchema.version + 1
        _ = try server.query("UPDATE fanfare.meta SET version = \(later)")
        for complaint in complaints() {
            #expect(complaint.contains("version \(later)"), "\(complaint)")
            #expect(complaint.contains("newer Fanfare"), "\(complaint)")
        }
        let error = #expect(throws: FanfareError.self) { try control.makeTables() }
        #expect(error?.message.contains("newer Fanfare") == true)
        #expect(try server.query("SELECT version FROM fanfare.meta") == "\(later)")
        #expect(try server.query("SELECT count(*) FROM fanfare.jobs") == "0")
    }
}
