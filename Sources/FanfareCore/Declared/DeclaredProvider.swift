/// A provider as a file describes it: the way to make a request of rows, and the meaning of
/// answers.
///
/// It is compiled once, when `DeclaredReader` reads the file.
package struct DeclaredProvider: Sendable {
    /// The version of the schema that is read here.
    package static let version = 1

    package var name: String
    /// The description of the service for people, or the place of one.
    package var about: String?
    /// The sources of the facts in the file.
    package var sources: [String] = []
    /// The notes for users: facts from memory, and facts that the service does not tell.
    package var notes: [String] = []
    /// True if it was tried against the service itself.
    package var isTried = false
    /// The day on which the service ends, as it is written; nil if none is known.
    package var end: String?

    package var settings: [DeclaredSetting] = []
    /// The columns of rows that it has places for, in the order of the file.
    package var columns: [String] = []
    /// The rules for values by the number of their columns.
    package var columnRules: [Int: DeclaredValueRule] = [:]
    package var origin = DeclaredOrigin.fixed(DeclaredText([]))
    package var transport = DeclaredTransport.automatic
    package var authorization = DeclaredAuthorization.none
    package var request = DeclaredRequestForm()
    package var token = DeclaredToken()
    /// Nil for one row in each request.
    package var batch: DeclaredBatch?
    package var answer = DeclaredAnswer()
    package var pace = DeclaredPace()
    /// The words of the service for a message's priority, in the column `priority`; nil if the file has none.
    package var priority: DeclaredPriority?
    /// Nil if nothing tells the service that a request was there before.
    package var idempotency: DeclaredIdempotency?
    package var examples: [DeclaredExample] = []

    package init(name: String) {
        self.name = name
    }
}

/// A value that users give for a job.
package struct DeclaredSetting: Equatable, Sendable {
    package var name: String
    /// True if it comes from a file alone, and is never shown.
    package var isSecret = false
    /// The value if none is given; nil if one has to be given.
    package var usual: String?
    /// The meaning of the setting, for people.
    package var about: String?
    /// The rule for its value; nil if any will do.
    package var rule: DeclaredValueRule?

    package init(name: String) {
        self.name = name
    }
}

/// The place to which requests go.
package enum DeclaredOrigin: Equatable, Sendable {
    /// One service for all rows: `https://api.example.com`.
    case fixed(DeclaredText)
    /// A URL in each row: the index of its column, and the hosts that may be named.
    case column(Int, hosts: RowHosts)

    /// True if rows name the hosts that they go to.
    package var isOfRows: Bool { if case .column = self { true } else { false } }
}

/// The version of HTTP.
package enum DeclaredTransport: String, CaseIterable, Sendable {
    /// The version that TLS agrees on.
    case automatic = "auto"
    case http2 = "h2"
    case http1 = "http/1.1"
}

/// A header field of requests.
package struct DeclaredField: Equatable, Sendable {
    /// The name in small letters.
    package var name: String
    package var value: DeclaredText

    package init(_ name: String, _ value: DeclaredText) {
        self.name = name
        self.value = value
    }
}

/// The parts of a request.
package struct DeclaredRequestForm: Equatable, Sendable {
    package var method = "POST"
    /// The path, with the query; nothing where the row's URL has it.
    package var path = DeclaredText([])
    /// The header fields in the order of the file, with `content-type`.
    package var fields: [DeclaredField] = []
    package var body = DeclaredBody.none
    /// The most bytes that a body may have.
    package var bodyBytesMax: Int?
    /// The longest wait for an answer.
    package var timeout: Duration?

    package init() {}
}

/// The body of requests.
package enum DeclaredBody: Equatable, Sendable {
    case none
    case json(DeclaredNode)
    /// `application/x-www-form-urlencoded`
    case form([DeclaredFormField])
    case text(DeclaredText)
}

/// A value in a body of JSON.
package indirect enum DeclaredNode: Equatable, Sendable {
    /// JSON without white space.
    case constant([UInt8])
    /// A text with places, which is escaped where that is needed.
    case text(DeclaredText)
    /// A row's value as JSON.
    case json(column: Int, fallback: [UInt8]?)
    case array([DeclaredNode])
    case object([DeclaredMember])
    /// A value that is left out with its key for a row that lacks a value in one of these columns.
    case optional(DeclaredNode, columns: [Int])
    /// The tokens of all rows of the request.
    case tokens(DeclaredJoin)
    /// An array with a message for each row of the request.
    case messages(DeclaredNode)
    /// The id that tells the request from others.
    case requestID
}

/// A member of an object in a body.
package struct DeclaredMember: Equatable, Sendable {
    package var key: String
    package var value: DeclaredNode

    package init(_ key: String, _ value: DeclaredNode) {
        self.key = key
        self.value = value
    }
}

/// A field of a form.
package struct DeclaredFormField: Equatable, Sendable {
    package var name: String
    package var value: DeclaredNode
    /// True if the value stands there as JSON, and not as the text itself.
    package var isJSON: Bool
}

/// The form of tokens in a body.
package enum DeclaredJoin: String, CaseIterable, Sendable {
    /// As texts of an array.
    case array
    /// In one text, with commas between them.
    case comma
}

/// The column that names the recipient of a row.
package struct DeclaredToken: Equatable, Sendable {
    /// Its index in `DeclaredProvider.columns`.
    package var column = 0
    package var shape: TokenPattern?

    package init() {}
}

/// The way in which rows share requests.
package struct DeclaredBatch: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Rows that differ in nothing but their tokens.
        case tokens
        /// A message for each row.
        case messages
    }

    package var kind: Kind
    /// The most rows of a request.
    package var rowsMax: Int
    /// The time for which a request that is not full waits for more rows.
    package var linger: Duration

    package init(_ kind: Kind, rowsMax: Int, linger: Duration) {
        self.kind = kind
        self.rowsMax = rowsMax
        self.linger = linger
    }
}

/// The limits on rates and numbers.
package struct DeclaredPace: Equatable, Sendable {
    package var rowsPerSecond: DeclaredRate?
    package var requestsPerSecond: DeclaredRate?
    /// The number that the service takes at once, after a rest.
    package var burst: Int?
    /// The number of requests that may wait for their answers.
    package var inFlight: Int?
    /// The time in which the rate rises to its full height.
    package var ramp: Duration = .zero
    /// The header field with the number of requests that are left, in lower case.
    package var remainingField: String?
    /// The header field with the time until there are more; there if the other one is.
    package var resetField: String?
    /// The most bytes of their names: the connection keeps no more of a name.
    package static let fieldBytesMax = 40

    package init() {}
}

/// A rate, which may be less than one a second.
package struct DeclaredRate: Equatable, Sendable {
    package var count: Int
    package var seconds: Int

    package init(_ count: Int, inSeconds seconds: Int = 1) {
        self.count = count
        self.seconds = seconds
    }

    /// Reads a number as JSON has it, with three digits behind the point at most: `0.2` is one in five seconds.
    /// - Parameter text: The number of times in a second.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, fraction.utf8.count <= 3,
            let count = Int(parts[0] + fraction), 1...1_000_000_000 ~= count
        else { return nil }
        let seconds = [1, 10, 100, 1000][fraction.utf8.count]
        guard count <= 1_000_000 * seconds else { return nil }
        let common = [1000, 500, 250, 200, 125, 100, 50, 40, 25, 20, 10, 8, 5, 4, 2].first {
            count.isMultiple(of: $0) && seconds.isMultiple(of: $0)
        }
        self.init(count / (common ?? 1), inSeconds: seconds / (common ?? 1))
    }

    package var perSecond: Double { Double(count) / Double(seconds) }
}

/// The key by which the service knows that it has had a request before.
package struct DeclaredIdempotency: Equatable, Sendable {
    package enum Form: String, CaseIterable, Sendable {
        /// A UUID of version 5, RFC 9562 §5.5.
        case uuid5
        /// 16 letters and digits.
        case alnum16
    }

    package var form: Form
    /// The time for which the service remembers it.
    package var valid: Duration

    package init(_ form: Form, valid: Duration) {
        self.form = form
        self.valid = valid
    }
}

/// The words of a service for how urgent a message is.
package struct DeclaredPriority: Equatable, Sendable {
    /// A text, or a number.
    package var high: MessageValue
    package var normal: MessageValue
}
