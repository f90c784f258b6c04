/// An answer as it has come.
package struct DeclaredReply: Sendable {
    package var status: UInt16
    /// Nil for a body that is no JSON, or not whole.
    package var body: PlacedJSON?

    package init(status: UInt16, body: PlacedJSON?) {
        self.status = status
        self.body = body
    }
}

/// What an answer means for the rows of its request.
package struct DeclaredJudgement: Equatable, Sendable {
    /// What it means for one of them.
    package struct Row: Equatable, Sendable {
        package var `class`: ResponseClass
        /// In the service's words; empty without.
        package var reason = ""
        /// The message's id; empty without.
        package var id = ""

        package init(_ class: ResponseClass) {
            self.class = `class`
        }
    }

    /// In the order of the request.
    package var rows: [Row]
    /// Whether the rows are sent again in two halves.
    package var splits = false
    /// Tokens that the answer names and that were not sent.
    package var strays = 0
    /// What the answer lacks of what the description says; nil if nothing.
    package var flaw: String?

    package init(rows: [Row]) {
        self.rows = rows
    }
}
