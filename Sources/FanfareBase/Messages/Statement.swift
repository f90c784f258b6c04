/// The content of a message, in words and settings: `"\(.resumes) needs a report that can be read
/// again"`.
///
/// The code that shows the message decides how settings are named.
package struct Statement: Equatable, Sendable {
    /// A value that is named together with its setting.
    package enum Value: Equatable, Sendable {
        /// One that the reader chooses; on the command line a word stands in its place: `FILE`.
        case any(String)
        /// A particular one, as the word behind an option and as an expression of Swift.
        case one(option: String, member: String)
    }

    /// A part of a statement.
    package enum Piece: Equatable, Sendable {
        case words(String)
        case setting(Setting, Value?)
    }

    /// Its parts in order; no two of words stand side by side, and none is empty.
    package private(set) var pieces: [Piece]

    /// Makes a statement that names no setting.
    package init(_ text: String) {
        pieces = text.isEmpty ? [] : [.words(text)]
    }

    /// True if it says nothing.
    package var isEmpty: Bool { pieces.isEmpty }

    /// Returns the statement as text.
    /// - Parameter naming: The way in which settings are named.
    /// - Returns: The text.
    package func text(_ naming: Naming) -> String {
        pieces.map { piece in
            switch piece {
            case .words(let text): text
            case .setting(let setting, let value): naming.text(setting, value)
            }
        }.joined()
    }

    /// Puts another statement behind a statement.
    package static func += (left: inout Statement, right: Statement) {
        for piece in right.pieces {
            if case .words(let more) = piece, case .words(let text) = left.pieces.last {
                left.pieces[left.pieces.count - 1] = .words(text + more)
            } else {
                left.pieces.append(piece)
            }
        }
    }

    /// Joins two statements, one behind the other.
    package static func + (left: Statement, right: Statement) -> Statement {
        var both = left
        both += right
        return both
    }
}

extension Statement: CustomStringConvertible {
    /// The statement in the names that a program knows.
    package var description: String { text(.members) }
}

extension Statement: ExpressibleByStringInterpolation {
    /// The collected parts of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var statement = Statement("")

        /// Begins with no parts.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds the words between two interpolations.
        package mutating func appendLiteral(_ literal: String) {
            statement += Statement(literal)
        }

        /// Adds a setting's name.
        package mutating func appendInterpolation(_ setting: Setting) {
            add(setting, nil)
        }

        /// Adds a setting's name, and on the command line a word for the value that it has to have.
        package mutating func appendInterpolation(_ setting: Setting, any placeholder: String) {
            add(setting, .any(placeholder))
        }

        /// Adds a setting's name with a value.
        package mutating func appendInterpolation(
            _ setting: Setting, option: String, member: String
        ) {
            add(setting, .one(option: option, member: member))
        }

        /// Adds a setting's name with a value whose raw value is the option's word.
        package mutating func appendInterpolation<Choice: RawRepresentable>(
            _ setting: Setting, _ value: Choice
        ) where Choice.RawValue == String {
            add(setting, .one(option: value.rawValue, member: ".\(value)"))
        }

        /// Adds the name of a setting from keys to values, with one of them.
        package mutating func appendInterpolation(
            _ setting: Setting, of key: String, is value: String
        ) {
            add(setting, .one(option: "\(key)=\(value)", member: "[\"\(key)\": \"\(value)\"]"))
        }

        /// Adds the content of another statement.
        package mutating func appendInterpolation(_ statement: Statement) {
            self.statement += statement
        }

        /// Adds a text.
        package mutating func appendInterpolation(_ text: String) {
            statement += Statement(text)
        }

        /// Adds a value as the text that describes it.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            statement += Statement(value.description)
        }

        private mutating func add(_ setting: Setting, _ value: Value?) {
            statement.pieces.append(.setting(setting, value))
        }
    }

    /// Makes a statement without interpolations.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// Makes a statement of the parts of a literal.
    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.statement
    }
}

extension DefaultStringInterpolation {
    /// Keeps a setting out of a text, which would show the name of its case: only a statement knows
    /// its name.
    @available(*, unavailable, message: "name settings in a Statement")
    package mutating func appendInterpolation(_ setting: Setting) {}
}
