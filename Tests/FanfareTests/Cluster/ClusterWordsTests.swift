import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem
import Testing

@testable import Fanfare

/// The words of a worker about its server and about the end of its part: each fault with what to do about it.
///
/// The states are those of PostgreSQL's appendix A.
@Suite struct ClusterWordsTests {
    private static func error(
        _ kind: PostgresError.Kind, _ reason: String, state: String = "",
        by work: ClusterWork = .job
    ) -> FanfareError {
        FanfareError(PostgresError(kind, reason, state: state), by: work)
    }

    // MARK: The server

    @Test(arguments: ["42P01", "3F000"])
    func `missing tables are made by init`(state: String) {
        let error = Self.error(
            .statement, #"relation "fanfare.meta" does not exist"#, state: state)
        #expect(
            error.message
                == #"the cluster's server cannot be used: relation "fanfare.meta" does not exist; "#
                + "look at the names of server and database first: if they are right, fanfare cluster init makes the tables"
        )
        #expect(error.code == .configuration)
    }

    @Test func `a worker without rights needs the role of workers`() {
        let error = Self.error(
            .statement, "permission denied for schema fanfare", state: "42501")
        #expect(
            error.message
                == "the cluster's server cannot be used: permission denied for schema fanfare; "
                + "GRANT fanfare_worker TO this user lets it work")
    }

    @Test func `the user who makes the tables needs other rights than a worker`() {
        let error = Self.error(
            .statement, "permission denied for database push", state: "42501", by: .tables)
        #expect(
            error.message
                == "the cluster's server cannot be used: permission denied for database push; "
                + "it takes a user who may make schemas and roles")
    }

    @Test func `only the owner of the tables removes a job`() {
        let error = Self.error(
            .statement, "permission denied for table jobs", state: "42501", by: .removal)
        #expect(
            error.message
                == "the cluster's server cannot be used: permission denied for table jobs; "
                + "it takes the user who has made the tables, or a superuser")
    }

    @Test func `who only looks needs no more than the role for that`() {
        let error = Self.error(
            .statement, "permission denied for schema fanfare", state: "42501", by: .looking)
        #expect(
            error.message
                == "the cluster's server cannot be used: permission denied for schema fanfare; "
                + "GRANT fanfare_viewer TO this user lets it look")
    }

    @Test(arguments: [ClusterWork.job, .tables, .removal, .looking])
    func `another fault of a statement has the server's words alone`(work: ClusterWork) {
        let error = Self.error(.statement, "division by zero", state: "22012", by: work)
        #expect(error.message == "the cluster's server cannot be used: division by zero")
    }

    /// A statement is ours: neither its text nor the mark below it helps a user.
    @Test func `the server's words lose the place in the statement`() {
        let error = PostgresError(
            .statement,
            """
            ERROR:  permission denied for schema fanfare
            LINE 1: SELECT version FROM fanfare.meta
                                        ^
            HINT:  Ask an administrator.
            """)
        #expect(
            error.reason
                == "ERROR:  permission denied for schema fanfare; HINT:  Ask an administrator.")
    }

    @Test func `without libpq the message names its package`() {
        let error = Self.error(.noLibrary, "libpq.so.5: cannot open shared object file")
        #expect(error.code == .configuration)
        #expect(
            error.message
                == "a job of several workers needs libpq, which is not installed "
                + "(libpq.so.5: cannot open shared object file); on Debian: apt-get install libpq5")
    }

    /// A worker is started again after the code of a failed input, and not after that of wrong settings.
    ///
    /// The words are libpq's and those of PostgreSQL 15; the states are those of its appendix A.
    @Test(arguments: [
        (
            #"FATAL:  28P01: password authentication failed for user "w""#,
            FanfareError.Code.configuration
        ),
        (
            #"FATAL:  28000: no pg_hba.conf entry for host "::1", user "w", no encryption"#,
            .configuration
        ),
        (#"FATAL:  3D000: database "push" does not exist"#, .configuration),
        (#"FATAL:  42501: permission denied for database "push""#, .configuration),
        (#"FATAL:  42704: unrecognized configuration parameter "foo""#, .configuration),
        // A server that speaks another language.
        (
            "FATAL:  28P01: Passwort-Authentifizierung für Benutzer »w« fehlgeschlagen",
            .configuration
        ),
        ("fe_sendauth: no password supplied", .configuration),
        ("server does not support SSL, but SSL was required", .configuration),
        ("SSL error: certificate verify failed", .configuration),
        (#"root certificate file "/etc/ssl/root.crt" does not exist"#, .configuration),
        (#"server certificate for "db" does not match host name "db2""#, .configuration),
        (#"invalid sslmode value: "foo""#, .configuration),
        ("FATAL:  57P03: the database system is starting up", .input),
        ("FATAL:  57P03: the database system is shutting down", .input),
        ("FATAL:  57P03: the database system is in recovery mode", .input),
        ("FATAL:  53300: sorry, too many clients already", .input),
        (
            "FATAL:  53300: remaining connection slots are reserved for non-replication superuser connections",
            .input
        ),
        (#"FATAL:  53300: too many connections for role "w""#, .input),
        ("FATAL:  57P01: terminating connection due to unexpected postmaster exit", .input),
        ("FATAL:  XX000: could not open file", .input),
        ("Connection refused", .input),
        (#"could not translate host name "db" to address: Temporary failure"#, .input),
        ("SSL SYSCALL error: EOF detected", .input),
        ("received invalid response to SSL negotiation: E", .input),
        ("session is read-only", .input),
    ])
    func `a server that says no is not asked again`(words: String, code: FanfareError.Code) {
        let isWhole = words.hasPrefix("invalid")
        let way = isWhole ? "" : #"connection to server at "db" (::1), port 5432 failed: "#
        let error = FanfareError(
            PostgresError(connecting: way + words + "\nLOCATION:  auth_failed, auth.c:334\n"))
        #expect(error.code == code)
        // The state is for programs.
        let said =
            words.hasPrefix("FATAL:  ")
            ? "FATAL:  " + words.dropFirst("FATAL:  28P01: ".count) : words
        #expect(
            error.message
                == (code == .configuration
                    ? "the cluster's server does not let us in: "
                    : "the cluster's server cannot be used: ")
                + way + said)
    }

    @Test func `of several servers the one that was asked last counts`() {
        let words = #"""
            connection to server at "a" failed: FATAL:  57P03: the database system is starting up
            LOCATION:  ProcessStartupPacket, postmaster.c:2411
            connection to server at "b" failed: FATAL:  28P01: password authentication failed for user "w"
            LOCATION:  auth_failed, auth.c:334
            """#
        #expect(FanfareError(PostgresError(connecting: words)).code == .configuration)
        #expect(
            PostgresError(connecting: words).reason
                == #"connection to server at "a" failed: FATAL:  the database system is starting up; "#
                + #"connection to server at "b" failed: FATAL:  password authentication failed for user "w""#
        )
    }

    /// A connection that breaks says so by a statement that fails, or by words alone.
    @Test(arguments: [
        "57P01", "57P02", "57014", "53100", "53200", "40001", "25006", "58030", "08006",
    ])
    func `a statement that fails by what may pass is tried again`(state: String) {
        let error = Self.error(.statement, "terminating connection", state: state)
        #expect(error.code == .input)
        let lost = Self.error(
            .connection, "FATAL:  terminating connection due to unexpected postmaster exit")
        #expect(lost.code == .input)
    }

    @Test func `a server with standbys that it does not wait for is told of, once`() {
        #expect(ClusterEntrance.warning(standbys: 0) == nil)
        #expect(
            ClusterEntrance.warning(standbys: 1)
                == "the cluster's server has a standby, and waits for none before it promises rows "
                + "(synchronous_standby_names is empty): if one takes over, rows may be sent twice")
        #expect(ClusterEntrance.warning(standbys: 2)?.contains("2 standbys") == true)
    }

    @Test(arguments: [PostgresError.Kind.timeout, .warning])
    func `a server that is slow may be back soon`(kind: PostgresError.Kind) {
        let error = Self.error(kind, "no answer in time")
        #expect(error.code == .input)
        #expect(error.message == "the cluster's server cannot be used: no answer in time")
    }

    @Test(
        arguments: [
            (nil, 5_000_000_000, nil), (5_000_000_000, 5_000_000_000, nil), (nil, nil, nil),
            (
                300_000_000, 5_000_500_000,
                "july has a rate of 5000.5/s for all of its workers together, and the one that is given here does not count; "
                    + "fanfare cluster rate changes it for all"
            ),
            (
                300_000_000, 5_000_000_000,
                "july has a rate of 5000/s for all of its workers together, and the one that is given here does not count; "
                    + "fanfare cluster rate changes it for all"
            ),
            (
                1_000_000, nil,
                "july has no rate for all of its workers together, and the one that is given here does not count; fanfare "
                    + "cluster rate changes it for all"
            ),
        ] as [(Int64?, Int64?, String?)])
    func `a rate that does not count is told of`(own: Int64?, job: Int64?, text: String?) {
        #expect(ClusterEntrance.warning(rate: own, of: "july", with: job) == text)
    }

    // MARK: The end of a worker's part

    @Test(arguments: [ClusterEnding.finished, .left])
    func `a proper end is no stop`(ending: ClusterEnding) {
        #expect(JobStop(ending, of: "july") == nil)
    }

    @Test(arguments: [
        (
            ClusterEnding.stopped(.ordered), JobStop.Kind.interrupted,
            "the job july was stopped on request; fanfare cluster resume lets it go on"
        ),
        // Rows are counted from 1 for people, and from 0 by the engine.
        (
            .stopped(.inputsDiffer(atRow: 32_768)), .inputOutput,
            "the workers of july do not see the same file: from row 32769 on their bytes differ"
        ),
        (
            .stopped(.grantedTwice(100..<200)), .inputOutput,
            "the server has forgotten writes, and rows 101 to 200 were granted twice, so some of them may have been sent "
                + "twice. No worker sends them any more: fanfare cluster resume lets the job july go on with all others"
        ),
        (.stopped(.outcomes), .refused, "another worker has stopped the job july"),
        (.stopped(nil), .refused, "another worker has stopped the job july"),
        (
            .inputDiffers, .inputOutput,
            "this machine's input has other bytes than those of the worker that cut it, so it leaves the job "
                + "july; give all machines the same file"
        ),
    ])
    func `a stop says why, also while the worker drains`(
        ending: ClusterEnding, kind: JobStop.Kind, text: String
    ) {
        let stop = JobStop(ending, of: "july")
        #expect(stop?.kind == kind)
        #expect(stop?.message.description == text)
        #expect(JobStop(drainingFor: ending, of: "july") == stop)
    }

    @Test func `a worker says which one has stopped the job, and why`() {
        let stop = JobStop(
            drainingFor: .stopped(.outcomes), of: "july",
            by: ClusterStopWords(worker: "web3", reason: "--stop-if failed>3: 4 of 9 rows"))
        #expect(
            stop.message
                == "the worker web3 has stopped the job july: --stop-if failed>3: 4 of 9 rows")
        let order = JobStop(
            drainingFor: .stopped(.ordered), of: "july",
            by: ClusterStopWords(worker: nil, reason: "ops at 10.0.0.5"))
        #expect(
            order.message
                == "the job july was stopped on request of ops at 10.0.0.5; fanfare cluster resume lets it go on"
        )
    }

    @Test(arguments: [
        (
            ClusterEnding.refused(.jobIsUnknown), JobStop.Kind.refused,
            "the server does not know the job july any more: it was lost, restored or made anew, and would have rows "
                + "sent that were sent already. Nothing more is sent; never just begin the job again. Restore a backup of "
                + "the server that has the job, pause the job, start all workers, and resume it; or begin another job "
                + "without those whom the reports of all workers name as reached"
        ),
        (
            .refused(.otherJob), .usage,
            "the job july has other inputs or settings than this worker: give all of its workers the same ones, or "
                + "begin another job"
        ),
        (
            .refused(.otherProtocol(9)), .usage,
            "the workers of july speak version 9 of their protocol, and this program speaks "
                + "2: use one version of Fanfare on all machines, or begin another job"
        ),
        (
            .refused(.tooManyWorkers), .usage,
            "the job july has 1024 workers, as many as it may have"
        ),
        (
            .refused(.otherPolicy), .usage,
            "the workers of july have agreed on other lists or bounds than those of this one: give it the same ones. To "
                + "change them for all, stop the job, let it go on by fanfare cluster resume with "
                + "ClusterDecision.renewPolicy, and start all workers with the new ones"
        ),
        (
            .superseded, .usage,
            "another process works with a copy of this worker's report and checkpoint, and has its part in july. Let "
                + "one of the two run: leave this one ended, or end that process first and then start this one"
        ),
    ])
    func `a worker that may not take part says what to do`(
        ending: ClusterEnding, kind: JobStop.Kind, text: String
    ) {
        let stop = JobStop(ending, of: "july")
        #expect(stop?.kind == kind)
        #expect(stop?.message.description == text)
    }

    /// A start of this one takes the part away from the copy, so no command is printed for that.
    @Test
    func
        `a worker whose folder was copied says where the copy works, and not how to take its part`()
    {
        let stop = JobStop(.superseded, of: "july", successor: "/b/july.csv on web2")
        #expect(stop?.needsOtherCommand == true)
        #expect(
            stop?.message.contains("has its part in july: /b/july.csv on web2. Let one") == true)
    }

    /// Its reader is in another folder, and often on another machine.
    @Test func `a worker names its report from the root`() throws {
        let folder = FileDescriptor.place(of: ".")
        #expect(folder.hasPrefix("/"))
        for path in ["july.csv", "./july.csv"] {
            #expect(ClusterEngine("", report: path).report == "\(folder)/july.csv")
        }
        #expect(ClusterEngine("", report: "/tmp/../tmp/july.csv").report == "/tmp/july.csv")
        #expect(ClusterEngine("").report == "")
    }
}
