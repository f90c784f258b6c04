internal import FanfareBase

/// What arrived for the connection as a whole and was not yet told.
@safe
struct ConnectionNews: ~Copyable {
    private(set) var isPending = false
    private(set) var settingsReceived = false
    private var hasSettings = false
    private var hasPing = false
    private var hasGoAway = false
    private var lastStreamID: Int32 = 0
    private var code = HTTP2ErrorCode.noError
    private(set) var debugData = ByteBuffer(capacity: 16)

    enum Item {
        case settings
        case ping
        case goAway(Int32, HTTP2ErrorCode)
    }

    mutating func pop() -> Item? {
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

    mutating func settingsArrived() {
        settingsReceived = true
        hasSettings = true
        isPending = true
    }

    mutating func pingAcknowledged() {
        hasPing = true
        isPending = true
    }

    mutating func goAwayArrived(
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
