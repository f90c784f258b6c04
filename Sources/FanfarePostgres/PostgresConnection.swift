internal import CPostgres
package import FanfareBase
internal import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A connection to a PostgreSQL server, for one thread at a time.
///
/// Nothing waits longer than the caller says, but for looking names up, which libpq does in its own time. A connection
/// on which something was not answered in time is closed, and never told to cancel: a canceled commit that waits for a
/// standby counts as done.
@safe
package final class PostgresConnection {
    /// The rows of each statement, in order; the values as text.
    package typealias Results = [[[String?]]]

    private var connection: UnsafeMutableRawPointer?

    /// Connects to the server of an address, or to the first of several that answers and takes writes.
    /// - Parameters:
    ///   - address: A URI or a connection string, as libpq takes it.
    ///   - first: The place of the server among several with which it begins: for the next connection that of the one that
    ///     was found, or of the next one if none was.
    ///   - deadline: The time at which it is given up.
    /// - Throws: `PostgresError` if libpq is not there, or there is no connection in time.
    package init(
        _ address: String, beginningWith first: inout Int, deadline: Instant
    ) throws(PostgresError) {
        try Self.load()
        if let message = unsafe postgres_check(address) {
            defer { unsafe postgres_free(message) }
            throw PostgresError(.address, unsafe String(cString: message))
        }
        let isSaid = Self.isSet("PGSSLMODE") || Self.option("sslmode", in: address) != nil
        let verifies = !isSaid && !Self.isLocal(address)
        let places = Self.places(in: address)
        let order = places.indices.map { (first + $0) % places.count }
        var faults: [String] = []
        for (turn, index) in order.enumerated() {
            let others = Int64(order.count - 1 - turn)
            do throws(PostgresError) {
                try open(
                    address, at: places[index], verifies: verifies,
                    deadline: Self.end(before: others, deadline))
                first = index
                return
            } catch {
                faults.append(error.reason)
                guard others > 0, !error.isRefusal else {
                    first = order[min(1, order.count - 1)]
                    throw error.isRefusal || faults.count == 1
                        ? error : PostgresError(error.kind, faults.joined(separator: "; "))
                }
            }
        }
    }

    /// Returns the time until which a server is tried before others.
    ///
    /// It has nearly all of it, since it may be far. But libpq would wait for a silent one until the deadline, and begin with
    /// it again the next time.
    private static func end(before others: Int64, _ deadline: Instant) -> Instant {
        let now = MachineClock.now
        let left = max(0, deadline.nanoseconds(since: now))
        return now.advanced(byNanoseconds: left - others * min(left / (others + 1), left / 10))
    }

    private func open(
        _ address: String, at place: Place, verifies: Bool, deadline: Instant
    ) throws(PostgresError) {
        unsafe postgres_close(connection)
        unsafe connection = postgres_connect_start(
            address, place.host, place.hostAddress, place.port, verifies ? 1 : 0)
        guard unsafe connection != nil else { throw PostgresError(.connection, "out of memory") }
        try connect(deadline: deadline)
    }

    /// One of the servers that an address names: the values that stand for it in lists of libpq's options.
    struct Place: Equatable, Sendable {
        var host: String?
        var hostAddress: String?
        var port: String?
    }

    /// The servers that an address names, in their order; one without values if it leaves them to libpq.
    static func places(in address: String) -> [Place] {
        func list(_ option: String) -> [String]? {
            Self.option(option, in: address)?.split(
                separator: ",", omittingEmptySubsequences: false
            )
            .map(String.init)
        }
        // Lists that stand elsewhere belong to all servers together.
        let isElsewhere =
            option("service", in: address) != nil
            || ["PGPORT", "PGHOSTADDR", "PGSERVICE"].contains { isSet($0) }
        guard !isElsewhere else { return [Place()] }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = (addresses ?? hosts)?.count ?? 1
        // libpq says what is wrong with lists of other lengths.
        let fit = [hosts, addresses, ports].allSatisfy { list in
            list.map { [1, count].contains($0.count) && !$0.contains("") } ?? true
        }
        guard count > 1, fit else { return [Place()] }
        return (0..<count).map { index in
            Place(
                host: hosts.map { $0.count == 1 ? $0[0] : $0[index] },
                hostAddress: addresses.map { $0[index] },
                port: ports.map { $0.count == 1 ? $0[0] : $0[index] })
        }
    }

    deinit { unsafe postgres_close(connection) }

    /// Loads libpq, once for the process.
    package static func load() throws(PostgresError) {
        guard let fault = unsafe postgres_load() else { return }
        throw PostgresError(.noLibrary, unsafe String(cString: fault))
    }

    // MARK: Connecting

    /// The value of an option of an address; `nil` if it has none.
    package static func option(_ name: String, in address: String) -> String? {
        guard let value = unsafe postgres_option(address, name) else { return nil }
        defer { unsafe free(value) }
        return unsafe String(cString: value)
    }

    /// True if an address leads to this machine: by a socket, or by the loopback.
    package static func isLocal(_ address: String) -> Bool {
        let named = [option("host", in: address), option("hostaddr", in: address)].compactMap(
            \.self)
        let hosts = named.joined(separator: ",").split(separator: ",")
        if hosts.isEmpty {
            return option("service", in: address) == nil
                && !["PGHOST", "PGHOSTADDR", "PGSERVICE"].contains { isSet($0) }
        }
        return hosts.allSatisfy {
            $0.hasPrefix("/") || ["localhost", "127.0.0.1", "::1", "[::1]"].contains($0)
        }
    }

    /// True if the environment has a variable of libpq's.
    private static func isSet(_ variable: String) -> Bool { unsafe getenv(variable) != nil }

    private func connect(deadline: Instant) throws(PostgresError) {
        var events = Int16(POLLOUT)
        while true {
            try wait(events, deadline: deadline)
            switch unsafe postgres_connect_poll(connection) {
            case 1: events = Int16(POLLIN)
            case 2: events = Int16(POLLOUT)
            case 3: return
            default: throw PostgresError(connecting: fault)
            }
        }
    }

    private var fault: String { unsafe String(cString: postgres_error(connection)) }

    private func wait(_ events: Int16, deadline: Instant) throws(PostgresError) {
        while true {
            let left = deadline.nanoseconds(since: MachineClock.now)
            guard left > 0 else { throw PostgresError(.timeout, "no answer in time") }
            // libpq has none where all addresses have failed.
            let socket = unsafe postgres_socket(connection)
            guard socket >= 0 else { throw PostgresError(connecting: fault) }
            var place = pollfd(fd: socket, events: events, revents: 0)
            let count = unsafe poll(&place, 1, Int32(min(left / 1_000_000 + 1, 1_000)))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else {
                throw PostgresError(.connection, "the connection is gone")
            }
        }
    }

    // MARK: Statements

    /// Runs statements, one after the other, in one round trip.
    /// - Parameters:
    ///   - statements: The statements, with a semicolon between.
    ///   - deadline: The time at which the answer counts as lost; then the connection is of no use any more.
    /// - Returns: The rows of each statement.
    /// - Throws: `PostgresError` if one of them fails, or the answer does not come in time, or is longer than
    ///   `Limits.postgresAnswerBytesMax`.
    package func run(_ statements: String, deadline: Instant) throws(PostgresError) -> Results {
        _ = unsafe postgres_take_warnings(connection)
        let receivedBefore = unsafe postgres_received(connection)
        guard unsafe postgres_send(connection, statements) == 1 else {
            throw PostgresError(.connection, fault)
        }
        while true {
            let rest = unsafe postgres_flush(connection)
            if rest == 0 { break }
            guard rest > 0 else { throw PostgresError(.connection, fault) }
            try wait(Int16(POLLOUT | POLLIN), deadline: deadline)
            guard unsafe postgres_consume(connection) == 1 else {
                throw PostgresError(.connection, fault)
            }
        }
        var results: Results = []
        var rows: [[String?]] = []
        var byteCount = 0
        var failure: PostgresError?
        while true {
            while unsafe postgres_is_busy(connection) != 0 {
                try wait(Int16(POLLIN), deadline: deadline)
                guard unsafe postgres_consume(connection) == 1 else {
                    throw PostgresError(.connection, fault)
                }
                // A single row may be as long as the server likes, and is not seen before it is whole.
                let received = unsafe postgres_received(connection) - receivedBefore
                guard received <= Limits.postgresAnswerBytesMax else { throw Self.tooLong }
            }
            guard let result = unsafe postgres_result(connection) else { break }
            defer { unsafe postgres_clear(result) }
            byteCount += unsafe Self.byteCount(of: result)
            guard byteCount <= Limits.postgresAnswerBytesMax else { throw Self.tooLong }
            switch unsafe postgres_status(result) {
            case 0:
                let state = unsafe postgres_sqlstate(result).map(String.init(cString:))
                failure = PostgresError(
                    state == nil ? .connection : .statement,
                    unsafe String(cString: postgres_result_error(result)), state: state ?? "")
                // Nothing follows on a connection that is gone.
                if state == nil, let failure { throw failure }
            case 3: unsafe rows += Self.rows(of: result)
            default:
                unsafe results.append(rows + Self.rows(of: result))
                rows = []
            }
        }
        if let failure { throw failure }
        guard unsafe postgres_take_warnings(connection) == 0 else {
            throw PostgresError(.warning, "the server warned that a write may not be durable")
        }
        return results
    }

    private static let tooLong = PostgresError(
        .connection,
        "an answer is longer than \(Limits.postgresAnswerBytesMax >> 20) MiB, which no server of jobs gives"
    )

    /// Roughly the memory that a result takes here: each value, and the place that it has.
    private static func byteCount(of result: UnsafeMutableRawPointer) -> Int {
        let columns = unsafe postgres_column_count(result)
        let rows = unsafe postgres_row_count(result)
        var count = placeBytes
        for row in 0..<rows {
            for column in 0..<columns {
                count += unsafe placeBytes + Int(postgres_length(result, row, column))
            }
        }
        return count
    }

    /// The bytes of a `String?`, of the header that its text has, and a part of the array's.
    private static let placeBytes = 48

    private static func rows(of result: UnsafeMutableRawPointer) -> [[String?]] {
        let columns = unsafe postgres_column_count(result)
        let rows = unsafe postgres_row_count(result)
        return (0..<rows).map { row in
            (0..<columns).map { column in
                unsafe postgres_value(result, row, column).map(String.init(cString:))
            }
        }
    }

    /// Returns a text as a literal of SQL.
    package static func literal(_ text: String) -> String {
        // This form does not depend on the server's setting for backslashes. No text of a server's has NUL.
        "E'" + text.escaping(["\\": "\\\\", "'": "''", "\0": ""]) + "'"
    }
}

extension Limits {
    /// The longest answer of a server, with the memory of its values: some 90,000 ranges or grants.
    ///
    /// A job of 100 million rows has some 3,000 ranges, and those that workers take from each other.
    package static let postgresAnswerBytesMax = 64 * 1024 * 1024
}
