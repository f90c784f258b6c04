/// An answer as it has come.
package struct DeclaredReply: Sendable {
    package var status: UInt16
    /// Nil for a body that is no JSON, or not whole.
    package var body: PlacedJSON?
    /// True if there is a body that is no JSON, or not whole.
    package var isPage: Bool

    package init(status: UInt16, body: PlacedJSON?, isPage: Bool = false) {
        self.status = status
        self.body = body
        self.isPage = isPage
    }
}

/// The meaning of an answer for the rows of its request.
package struct DeclaredJudgement: Equatable, Sendable {
    /// The meaning for one row.
    package struct Row: Equatable, Sendable {
        package var `class`: ResponseClass
        /// The reason in the service's words; empty without.
        package var reason = ""
        /// The message's id; empty without.
        package var id = ""
        /// The wait that the answer's body asks for, before the row is sent again; nil if it asks for none.
        package var wait: Duration?

        package init(_ class: ResponseClass) {
            self.class = `class`
        }
    }

    /// The rows in the order of the request.
    package var rows: [Row]
    /// True if the rows are sent again in two halves.
    package var splits = false
    /// Tokens that the answer names and that were not sent.
    package var strays = 0
    /// The part of the description that the answer lacks; nil if it lacks nothing.
    package var flaw: String?

    package init(rows: [Row]) {
        self.rows = rows
    }
}
