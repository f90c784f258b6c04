import FanfareBase
import FanfareCore

/// The push types that the provider knows, with the rules that depend on them.
///
/// It is not `PushType`, on purpose: the client's table is checked against this one.
package enum NotificationKind: UInt8, CaseIterable, Sendable {
    case alert
    case background
    case voip
    case complication
    case fileprovider
    case mdm
    case location
    case liveactivity
    case pushtotalk
    case widgets
    case controls

    /// The value of `apns-push-type`.
    package var name: StaticString {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .voip: "voip"
        case .complication: "complication"
        case .fileprovider: "fileprovider"
        case .mdm: "mdm"
        case .location: "location"
        case .liveactivity: "liveactivity"
        case .pushtotalk: "pushtotalk"
        case .widgets: "widgets"
        case .controls: "controls"
        }
    }

    /// The suffix to the bundle id in the topic of this push type.
    package var topicSuffix: StaticString {
        switch self {
        case .alert, .background, .mdm: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The longest payload in bytes.
    package var payloadBytesMax: Int {
        self == .voip ? Limits.simulatorVoIPPayloadBytes : Limits.simulatorPayloadBytes
    }

    /// Finds the push type that a header value names.
    package init?(_ text: UnsafeBufferPointer<UInt8>) {
        // Not `allCases`, which is an array of its own for each request.
        var raw: UInt8 = 0
        while let kind = NotificationKind(rawValue: raw) {
            if unsafe text.equals(kind.name) {
                self = kind
                return
            }
            raw += 1
        }
        return nil
    }
}
