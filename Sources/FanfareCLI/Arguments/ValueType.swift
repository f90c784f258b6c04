/// What the text of an option's value must look like.
///
/// If you add a case, also give it a reader in `Values/` and an accessor in `ParsedArguments`.
package enum ValueType: Sendable, Equatable {
    /// Any text, even none: the title of a notification may be empty.
    case text
    /// Text that says something: an identifier.
    case identifier
    /// The path of a file, or `-` where the option says so.
    case file
    /// A JSON object; only its first character is looked at here.
    case jsonObject
    /// A number in the syntax of JSON.
    case number
    /// A whole number within bounds: `12`, `1_000`, `90k`, `1.5m`.
    case count(ClosedRange<Int>)
    /// A length of time: `20ms`, `1.5s`.
    case duration(allowsZero: Bool)
    /// A length of time, a range of them, or a distribution.
    case latency
    /// A number of bytes: `4KiB`, `1MB`.
    case size
    /// A number per time: `5000/s`.
    case rate
    /// A number per time, or a range of them: `1k..20k/s`.
    case rateRange
    /// A share: `1%`, `0.5%`.
    case percent
    /// `NAME: VALUE`, or `@FILE` with a line for each.
    case headerField
    /// One byte, or `tab`.
    case delimiter
    /// `127.0.0.1:8443`; port 0 lets the system choose.
    case listenAddress
    /// `https://host:port`.
    case endpoint
    /// `http://host:port`, without a password.
    case proxy
    /// `key=value`.
    case pair(allowsEmptyValue: Bool)
    /// Words separated by commas.
    case list
    /// `0`, a moment, or a time from now.
    case expiration
    /// Bounds on outcomes, separated by commas: `suspect>50%,failed>100`, or `none`.
    case thresholds
    /// A moment, or a time from now.
    case moment
    /// What lines of a report are wanted: `outcome=failed,unknown`.
    case filter
    /// Two times of a day: `09:00-20:00`.
    case window
    /// One of these words.
    case choice([String])

    /// Reads a value only to find its fault.
    package func check(_ text: String) throws(ValueFault) {
        switch self {
        case .text: break
        case .identifier, .file: _ = try ValueReader.identifier(text)
        case .jsonObject: _ = try ValueReader.jsonObject(text)
        case .number: _ = try ValueReader.number(text)
        case .count(let bounds): _ = try ValueReader.count(text, in: bounds)
        case .duration(let allowsZero):
            _ = try ValueReader.duration(text, allowsZero: allowsZero)
        case .latency: _ = try ValueReader.latency(text)
        case .size: _ = try ValueReader.size(text)
        case .rate: _ = try ValueReader.rate(text)
        case .rateRange: _ = try ValueReader.rateRange(text)
        case .percent: _ = try ValueReader.percent(text)
        case .headerField: _ = try ValueReader.headerField(text)
        case .delimiter: _ = try ValueReader.delimiter(text)
        case .listenAddress: _ = try ValueReader.hostPort(text, allowsPortZero: true)
        case .endpoint: _ = try ValueReader.endpoint(text)
        case .proxy: _ = try ValueReader.proxy(text)
        case .pair(let allowsEmptyValue):
            _ = try ValueReader.pair(text, allowsEmptyValue: allowsEmptyValue)
        case .list: _ = try ValueReader.list(text)
        case .expiration: _ = try ValueReader.expiration(text)
        case .thresholds: _ = try ValueReader.thresholds(text)
        case .window: _ = try ValueReader.window(text)
        case .moment: _ = try ValueReader.moment(text)
        case .filter: _ = try ValueReader.filter(text)
        case .choice(let words): _ = try ValueReader.choice(text, of: words)
        }
    }
}
