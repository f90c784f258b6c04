/// The faults that a scenario has given a connection; they last until its end.
package struct ConnectionFaults {
    /// True if nothing is read or written any more.
    package private(set) var isStalled = false
    /// True if nothing is read any more.
    private var hasStoppedReading = false
    /// True if the connection has to end with a reset of TCP.
    package private(set) var endsWithReset = false
    /// True if the connection has to end with bytes of the client unread.
    package private(set) var leavesUnread = false

    /// True if bytes of the client are taken.
    package var isReading: Bool { !isStalled && !hasStoppedReading }

    /// Adds the faults of an action to those that there are.
    mutating func add(_ action: Scenario.Action) {
        isStalled = isStalled || action.stallsConnection
        hasStoppedReading = hasStoppedReading || action.stopsReading || action.leavesUnread
        endsWithReset = endsWithReset || action.resetsConnection
        leavesUnread = leavesUnread || action.leavesUnread
    }
}
