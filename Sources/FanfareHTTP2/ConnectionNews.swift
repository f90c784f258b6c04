package import FanfareBase

/// The news for the connection as a whole that was not yet told.
@safe
package struct ConnectionNews: ~Copyable {
    package private(set) var isPending = false
    private var hasSettings = false
    private var hasPing = false
    private var hasGoAway = false
    private var lastStreamID: Int32 = 0
    private var code = HTTP2ErrorCode.noError
    package private(set) var debugData = ByteBuffer(capacity: 16)

    package init() {}

    package enum Item {
        case settings
        case ping
        case goAway(Int32, HTTP2ErrorCode)
    }

    package mutating func pop() -> Item? {
        if hasSettings {
            hasSettings = false
            return .settings
        }
        if hasGoAway {
            hasGoAway = false
            return .goAway(lastStreamID, code)
        }
        isPending = false
        if hasPing {
            hasPing = false
            return .ping
        }
        return nil
    }

    package mutating func settingsArrived() {
        hasSettings = true
        isPending = true
    }

    package mutating func pingAcknowledged() {
        hasPing = true
        isPending = true
    }

    package mutating func goAwayArrived(
        lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeBufferPointer<UInt8>
    ) {
        // Of two at once the first one that says why counts.
        let hasReason = hasGoAway && (self.code != .noError || !self.debugData.isEmpty)
        hasGoAway = true
        isPending = true
        self.lastStreamID = lastStreamID
        guard !hasReason else { return }
        self.code = code
        self.debugData.removeAll()
        let count = min(debugData.count, Limits.goAwayDebugBytes)
        unsafe self.debugData.append(UnsafeBufferPointer(rebasing: debugData[..<count]))
    }
}
