import FanfareBase
internal import FanfareCore

/// The reason why the simulator cannot be set up.
///
/// It is a fault of a user's input, which it names with its place, or a limit of the system.
package struct SimulatorError: Error, Equatable, CustomStringConvertible {
    /// The place in the input: a path such as `rules[2].then.status`, an option, a file.
    package var place: String
    package var message: String
    /// True if the system has no room for it, which its limits decide.
    package var isShortage = false

    package init(_ place: String, _ message: String) {
        self.place = place
        self.message = message
    }

    /// Both; a key of the input may be anything, and is shown as a terminal may have it.
    package var description: String {
        TerminalText.printable(place.isEmpty ? message : "\(place): \(message)")
    }
}
