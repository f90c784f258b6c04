package import FanfareBase

/// A maker of requests from rows.
///
/// It escapes values of rows and settings by their place: in JSON, in a form, in a path. It checks
/// those in a header field, and a row whose value would end the field has no request.
package struct DeclaredRenderer {
    /// The parts that stay the same: one object, so that a copy of a renderer costs one reference.
    private final class Basis {
        let provider: DeclaredProvider
        let settings: any DeclaredSettings
        let isJSON: ([UInt8]) -> Bool
        let rowRule: DeclaredRowRule
        let tokenColumn: Int
        /// The body of one row's request, where it has the form for it.
        let flatBody: FlatBody?
        /// The message of each row, where requests have such ones of the form for it.
        let flatMessage: FlatBody?

        init(
            _ provider: DeclaredProvider, _ settings: any DeclaredSettings,
            isJSON: @escaping ([UInt8]) -> Bool
        ) {
            self.provider = provider
            self.settings = settings
            self.isJSON = isJSON
            rowRule = DeclaredRowRule(provider)
            tokenColumn = provider.token.column
            flatBody = FlatBody(provider, settings)
            flatMessage = FlatBody(messageOf: provider, settings)
        }
    }

    private let basis: Basis
    /// The time when the request is made, in milliseconds of UNIX time.
    package var milliseconds: Int64
    package var requestID: [UInt8]
    /// The signature, or the token that a service has given for the credentials.
    package var token: [UInt8] = []
    /// Scheme, host and port of all requests, looked at once: nothing if rows name them.
    private var fixedOrigin = Result<String, DeclaredRowProblem>.success("")

    /// Makes a renderer.
    /// - Parameters:
    ///   - provider: The description.
    ///   - settings: Its settings.
    ///   - milliseconds: The time when requests are made, in milliseconds of UNIX time.
    ///   - requestID: The id that tells the request from others.
    ///   - isJSON: Returns true if a text is JSON.
    package init(
        _ provider: DeclaredProvider, settings: any DeclaredSettings, milliseconds: Int64,
        requestID: [UInt8],
        isJSON: @escaping ([UInt8]) -> Bool
    ) {
        basis = Basis(provider, settings, isJSON: isJSON)
        self.milliseconds = milliseconds
        self.requestID = requestID
        do throws(DeclaredRowProblem) {
            fixedOrigin = .success(try renderedOrigin())
        } catch {
            fixedOrigin = .failure(error)
        }
    }

    package var provider: DeclaredProvider { basis.provider }

    /// The column of the token; asking `provider` for it would copy all of the description.
    var tokenColumn: Int { basis.tokenColumn }

    package var settings: any DeclaredSettings { basis.settings }

    /// Returns true if a text is JSON; called for the cells of CSV alone.
    var isJSON: ([UInt8]) -> Bool { basis.isJSON }

    // MARK: Requests

    /// The message that requests of several rows have for each row; nil if it has the moment or the id of the
    /// request in it, or anything that is left out.
    package var flatMessage: FlatBody? { basis.flatMessage }

    /// The body of one row's request; nil if it has the moment or the id of the request in it, or anything that is
    /// left out.
    package var flatBody: FlatBody? { basis.flatBody }

    /// Appends the body of the request of one row, whose other parts are the same for all rows.
    /// - Parameters:
    ///   - row: The row.
    ///   - out: Gets the body, or a part of it if the row has none.
    /// - Throws: The reason why the row has none.
    package func appendBody(
        of row: LentRow, to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        if let body = basis.flatBody { return try body.append(row, to: &out) }
        try check(row)
        let start = out.count
        try appendBody(row, [row], to: &out)
        let count = out.count - start
        if let most = provider.request.bodyBytesMax, count > most {
            throw .bodyTooLarge(bytes: count, most: most)
        }
    }

    // The copies for the rows of jobs: other modules would call the one for any kind of row, which
    // asks for metadata at each step.
    /// Makes the request of some rows.
    /// - Parameter rows: One at least; more where the description has batches.
    /// - Returns: The request, without the proof of its sender.
    /// - Throws: The reason why a row has none, or none with the others.
    @_specialize(where Row == LentRow)
    package func request<Row: DeclaredRow>(
        of rows: [Row]
    ) throws(DeclaredRowProblem) -> DeclaredRequest {
        let rowsMax = provider.batch?.rowsMax ?? 1
        guard let first = rows.first, rows.count <= rowsMax else {
            throw .tooManyRows(rowsMax)
        }
        for row in rows { try check(row) }
        if rows.count > 1 {
            let common = try commonPart(of: first)
            for row in rows.dropFirst() where try commonPart(of: row) != common {
                throw .notOfTheBatch
            }
        }
        return try request(ofAlike: rows, first)
    }

    /// Makes the request of rows whose tokens are right, and that have its common part in common.
    /// - Parameters:
    ///   - rows: The rows, not more than a request has.
    ///   - first: The first one of them.
    /// - Returns: The request, without the proof of its sender.
    /// - Throws: The reason why the rows have none.
    @_specialize(where Row == LentRow)
    package func request<Row: DeclaredRow>(
        ofAlike rows: [Row], _ first: Row
    ) throws(DeclaredRowProblem) -> DeclaredRequest {
        var request = try head(of: first)
        request.body = try body(first, rows)
        if let most = provider.request.bodyBytesMax, request.body.count > most {
            throw .bodyTooLarge(bytes: request.body.count, most: most)
        }
        return request
    }

    /// Returns the part of a request that rows have in common to share it: all but tokens and
    /// messages.
    /// - Parameter row: The row.
    /// - Returns: Bytes that are the same for rows that may share one.
    /// - Throws: The reason why the row has no request.
    @_specialize(where Row == LentRow)
    package func commonPart<Row: DeclaredRow>(of row: Row) throws(DeclaredRowProblem) -> [UInt8] {
        let head = try head(of: row)
        var bytes = Array(head.url.utf8)
        for field in head.fields { bytes += [0] + field.value }
        return try bytes + [0] + body(row, [])
    }

    private func head(
        of row: some DeclaredRow
    ) throws(DeclaredRowProblem) -> DeclaredRequest {
        let (origin, path) = try place(row)
        var fields: [DeclaredRequest.Field] = []
        for field in provider.request.fields { fields.append(try self.field(field, row)) }
        return DeclaredRequest(
            method: provider.request.method, origin: origin, path: path, fields: fields, body: [])
    }

    private func place(
        _ row: some DeclaredRow
    ) throws(DeclaredRowProblem) -> (origin: String, path: String) {
        switch provider.origin {
        case .fixed: return try (origin(), path(row))
        case .column(let column, let hosts):
            let text = unsafe row.lend(column) { _, bytes in
                unsafe String(decoding: bytes, as: UTF8.self)
            }
            do throws(DeclaredURL.Fault) {
                let url = try DeclaredURL(row: text, hosts: hosts)
                return (url.origin, url.path)
            } catch {
                throw .url(error)
            }
        }
    }

    /// Returns the path of a row's request, with its query, where the row has no URL of its own.
    /// - Parameter row: The row whose values it has.
    /// - Returns: The path.
    /// - Throws: `DeclaredRowProblem.valueMissing`, or `.path` if a value would lead to another path than
    ///   the description has.
    package func path(_ row: some DeclaredRow) throws(DeclaredRowProblem) -> String {
        var path = ByteBuffer()
        try append(provider.request.path, row, .path, to: &path)
        let text = unsafe String(decoding: path.bytes, as: UTF8.self)
        if let fault = PathFault(provider.request.path, rendered: text) { throw .path(fault) }
        return text
    }

    /// Returns the scheme, host and port of all requests; nothing if rows name them.
    /// - Throws: `DeclaredRowProblem.url` if the settings make no URL that may be asked.
    package func origin() throws(DeclaredRowProblem) -> String { try fixedOrigin.get() }

    private func renderedOrigin() throws(DeclaredRowProblem) -> String {
        guard case .fixed(let text) = provider.origin else { return "" }
        var url = ByteBuffer()
        try append(text, NoRow(), .none, to: &url)
        do throws(DeclaredURL.Fault) {
            return try unsafe DeclaredURL(origin: String(decoding: url.bytes, as: UTF8.self)).origin
        } catch {
            throw .url(error)
        }
    }

    // MARK: Rows

    /// Checks the values that every row has to have.
    @_specialize(where Row == LentRow)
    package func check<Row: DeclaredRow>(_ row: Row) throws(DeclaredRowProblem) {
        try basis.rowRule.check(row)
    }
}
