import FanfareBase

/// The meaning of answers: rules in order, of which the first one that fits decides.
package struct DeclaredAnswer: Sendable {
    /// The place of the message's id; nil if the service gives none.
    package var id: JSONPointer?
    /// The places of texts with JSON in them.
    package var decoded: [JSONPointer] = []
    package var rules: [DeclaredRule] = []
    /// The verdict where no rule fits.
    package var otherwise = DeclaredVerdict(ResponseClass(.rejected))
    /// The way to tell the rows of an accepted request apart.
    package var rows = DeclaredRows.batch
    /// The form of the service's answers.
    package var form = Form.json
    /// True if a request may have several rows.
    package var isOfSeveral = false
    /// True if all rows go to one service, whose refusals may be about all of them.
    package var isOfOneService = true

    package init() {}

    /// The form of a service's answers, where anything in them counts.
    package enum Form: String, CaseIterable, Sendable {
        /// They are JSON: other forms have come from another server.
        case json
        /// Some of them are no JSON, so a status can be a verdict with any body.
        case any
    }

    /// True if it looks into bodies, which therefore have to be JSON.
    package var readsBodies: Bool {
        if case .batch = rows { return rules.contains { !$0.tests.isEmpty } } else { return true }
    }

    /// The place of the message's id, if no verdict on an answer as a whole depends on what stands there, as long
    /// as it is a text; nil if there is none.
    package var freeID: JSONPointer? {
        guard let id, decoded.isEmpty else { return nil }
        let looks = rules.flatMap(\.tests).contains { test in
            if case .isPresent = test.condition, test.steps.isEmpty { return false }
            return !test.steps.isEmpty || test.at == id
        }
        let shows = (rules.map(\.verdict) + [otherwise]).contains { verdict in
            verdict.reason == .pointer(id) || verdict.wait?.at == id
        }
        return looks || shows ? nil : id
    }

    /// True if anything in a body has a part in a verdict or is reported.
    package var usesBodies: Bool {
        let verdicts = rules.map(\.verdict) + [otherwise]
        return readsBodies || id != nil
            || verdicts.contains { verdict in
                if case .pointer = verdict.reason { return true }
                return verdict.wait != nil
            }
    }
}

/// A condition for an answer, and the verdict if the condition holds.
package struct DeclaredRule: Sendable {
    /// The statuses; none for any.
    package var statuses: [ClosedRange<UInt16>] = []
    /// The conditions for its content, which all have to hold; none where the status alone decides.
    package var tests: [DeclaredTest] = []
    package var verdict: DeclaredVerdict

    package init(_ verdict: DeclaredVerdict) {
        self.verdict = verdict
    }
}

/// A condition for a value in an answer.
package struct DeclaredTest: Sendable {
    package enum Condition: Sendable {
        /// It is one of these, which are neither arrays nor objects.
        case isOne(of: [PlacedJSON])
        /// It is a text or a number that fits one of these.
        case isLike([LikePattern])
        /// It is there, and not null; or it is not.
        case isPresent(Bool)
    }

    /// The way from a value to some of the elements of an array in it.
    package struct Step: Sendable {
        package var each: JSONPointer
        /// The conditions for the content of the elements.
        package var conditions: [(at: JSONPointer, value: PlacedJSON)]
    }

    /// The way into arrays, of which one element has to hold the condition.
    package var steps: [Step]
    package var at: JSONPointer
    package var condition: Condition
}

/// The meaning of an answer, or of a part of one, for a row.
package struct DeclaredVerdict: Equatable, Sendable {
    /// The origin of the reason.
    package enum Reason: Equatable, Sendable {
        case text(String)
        case pointer(JSONPointer)
    }

    package var `class`: ResponseClass
    package var reason: Reason?
    /// The place of the wait that the service asks for; nil if the file names none.
    package var wait: DeclaredWait?
    /// True if the request's rows are sent again in two halves: the answer proves that nothing was
    /// sent.
    ///
    /// Nil if the description does not say so: then those of a final refusal are.
    package var splits: Bool?

    package init(_ class: ResponseClass) {
        self.class = `class`
    }
}

/// The way in which the answer to an accepted request tells its rows apart.
package enum DeclaredRows: Sendable {
    /// It does not tell them apart: all have the same verdict.
    case batch
    /// A list with an element for each row, in their order.
    case index(list: JSONPointer, judged: DeclaredElement)
    /// Lists of tokens; rows that are in none have the last verdict.
    case tokens([DeclaredTokenList], rest: DeclaredVerdict)
    /// A list of elements that name their tokens; rows that are not named have the last verdict.
    case tokenKey(
        list: JSONPointer, key: JSONPointer, judged: DeclaredElement, rest: DeclaredVerdict)
    /// An object whose keys are tokens; rows that are not named have the last verdict.
    case object(at: JSONPointer, judged: DeclaredElement, rest: DeclaredVerdict)

    /// The word in files.
    package enum Kind: String, CaseIterable, Sendable {
        case batch
        case index
        case tokens
        case tokenKey = "token_key"
        case object
    }
}

/// The meaning of a row's own part of an answer.
package struct DeclaredElement: Sendable {
    /// The place of the message's id in it.
    package var id: JSONPointer?
    package var rules: [DeclaredRule]
    package var otherwise: DeclaredVerdict
}

/// A list of tokens in an answer.
package struct DeclaredTokenList: Sendable {
    package var at: JSONPointer
    /// The text between tokens in one text; nil for an array.
    package var separator: String?
    package var verdict: DeclaredVerdict
}

/// Rows, their request, and the meaning of answers to it: a test inside a description.
package struct DeclaredExample: Sendable {
    package struct Answer: Sendable {
        package var status: UInt16
        package var body: [UInt8]
        /// True if the whole body has come.
        package var isComplete: Bool
        /// The expected outcome of each row.
        package var outcomes: [Expectation]
        package var splits: Bool
        /// The number of tokens that it names and that were not sent.
        package var strays: Int
        package var place: DeclaredPlace

        package init(status: UInt16, body: [UInt8], place: DeclaredPlace) {
            self.status = status
            self.body = body
            isComplete = true
            outcomes = []
            splits = false
            strays = 0
            self.place = place
        }
    }

    /// The expectation for a row; nil for values that are not checked.
    package struct Expectation: Sendable {
        package var outcome: Outcome
        package var reason: String?
        package var id: String?
        package var retry: ResponseClass.Retry?
        package var job: ResponseClass.Job?
        package var credential: ResponseClass.Credential?
        package var wait: Duration?

        package init(_ outcome: Outcome) {
            self.outcome = outcome
        }
    }

    /// The expected request.
    package struct Request: Sendable {
        package var method: String
        package var url: String
        package var fields: [(name: String, value: String)]
        package var body: [UInt8]
        package var place: DeclaredPlace

        package init(
            method: String, url: String, fields: [(name: String, value: String)], body: [UInt8],
            place: DeclaredPlace
        ) {
            self.method = method
            self.url = url
            self.fields = fields
            self.body = body
            self.place = place
        }
    }

    /// Objects.
    package var rows: [PlacedJSON]
    package var settings: [(name: String, value: String)] = []
    /// The time when the request is made, in UNIX seconds.
    package var seconds: Int64 = 0
    package var requestID: String?
    /// The token that a service has given for the credentials.
    package var token: String?
    package var request: Request?
    /// The reason why the rows are not sent, if they are not.
    package var problem: String?
    package var answers: [Answer] = []
    package var place: DeclaredPlace

    package init(rows: [PlacedJSON], place: DeclaredPlace) {
        self.rows = rows
        self.place = place
    }
}

/// A place in a description.
package struct DeclaredPlace: Equatable, Sendable {
    /// The number of the line, from 1.
    package var line: Int
    package var pointer: JSONPointer

    package init(line: Int, pointer: JSONPointer) {
        self.line = line
        self.pointer = pointer
    }
}

/// The fault of a description.
package struct DeclaredFault: Error, Equatable, Sendable, CustomStringConvertible {
    package var place: DeclaredPlace
    /// The fault and the remedy: a phrase that follows the place.
    package var text: String

    package init(_ place: DeclaredPlace, _ text: String) {
        self.place = place
        self.text = text
    }

    package var description: String {
        let pointer = place.pointer.text
        let words = "line \(place.line), \(pointer.isEmpty ? "the file" : pointer) \(text)"
        // Keys of the file stand in it, which may have line ends and what a terminal obeys.
        return words.unicodeScalars.reduce(into: "") { shown, scalar in
            shown +=
                TerminalText.staysInLine(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
        }
    }
}
