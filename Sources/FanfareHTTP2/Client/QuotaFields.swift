import FanfareBase

/// The names of the two header fields in which a provider counts the requests that it still takes.
///
/// No standard has such fields: each provider has names of its own. A longer name than
/// `AnswerField.valueBytesKept` is never found, since no more of a name is kept while it is read.
package struct QuotaFields: Equatable, Sendable {
    /// The field with the number of requests that remain, in lower case.
    package let remaining: [UInt8]
    /// The field with the time at which there are new ones, in lower case.
    package let reset: [UInt8]

    /// - Parameters:
    ///   - remaining: The name of the one field, in letters of any case.
    ///   - reset: The name of the other one.
    package init(remaining: String, reset: String) {
        self.remaining = Array(remaining.lowercased().utf8)
        self.reset = Array(reset.lowercased().utf8)
    }
}

/// The numbers of these fields, as they came last.
package struct QuotaNotice: Equatable, Sendable {
    /// The number of requests that remain; `nil` if no answer said it in digits.
    package var remaining: UInt64?
    /// The number in the other field, which each provider means in its own way.
    package var reset: UInt64?

    /// Makes a notice that says nothing.
    package init() {}

    /// Returns the notice, and forgets it.
    package mutating func take() -> QuotaNotice {
        defer { self = QuotaNotice() }
        return self
    }
}
