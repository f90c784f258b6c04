/// A line of the live view while it is put together: texts that are seen, each in one style.
struct LiveText {
    /// A color or weight of ANSI's.
    enum Style: String {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    static let gap = "  "

    private let width: Int
    private let usesColor: Bool
    private var length = 0
    private(set) var text = ""

    init(width: Int, usesColor: Bool) {
        self.width = width
        self.usesColor = usesColor
    }

    /// Adds a part behind the others.
    /// - Parameters:
    ///   - part: The text.
    ///   - style: The part's style.
    ///   - reserve: Columns that have to stay free behind it.
    /// - Returns: True if there was room for it.
    @discardableResult
    mutating func add(_ part: String, _ style: Style = .plain, reserve: Int = 0) -> Bool {
        let gap = length == 0 ? 0 : Self.gap.count
        guard !part.isEmpty, length + gap + part.count + reserve <= width else { return false }
        text += (gap == 0 ? "" : Self.gap)
        text += usesColor && style != .plain ? "\u{1B}[\(style.rawValue)m\(part)\u{1B}[0m" : part
        length += gap + part.count
        return true
    }

    /// Adds the first of several ways to say the same for which there is room.
    mutating func add(_ forms: [String], _ style: Style = .plain, reserve: Int = 0) {
        _ = forms.first { add($0, style, reserve: reserve) }
    }
}
