import FanfareBase

/// The kind of notification that a request carries: the value of `apns-push-type`.
///
/// It is an open set: the provider adds types from time to time, so an unknown one passes through
/// with the rules of `alert`.
package struct PushType: Hashable, Sendable, CustomStringConvertible {
    /// The demands of a push type on the other parts of the request.
    package struct Rules: Sendable {
        /// The ending of the topic, beginning with the dot; empty for none.
        package var topicSuffix: StaticString = ""
        /// The longest body in bytes.
        package var payloadBytesMax = Limits.payloadBytesMax
        /// The only priority that the provider takes; 0 when any is allowed.
        package var requiredPriority: UInt8 = 0

        /// The rules of a type that is not in the table.
        package static let unknownType = Rules()
    }

    /// The priority that the provider takes when a request has none.
    package static let defaultPriority: UInt8 = 10

    /// The value of the header.
    package let name: String

    /// Wraps a header value, known or not.
    package init(_ name: String) {
        self.name = name
    }

    package static let alert = PushType("alert")
    package static let background = PushType("background")
    package static let voip = PushType("voip")
    package static let complication = PushType("complication")
    package static let fileProvider = PushType("fileprovider")
    package static let mdm = PushType("mdm")
    package static let location = PushType("location")
    package static let liveActivity = PushType("liveactivity")
    package static let pushToTalk = PushType("pushtotalk")
    package static let widgets = PushType("widgets")
    package static let controls = PushType("controls")

    /// Every type in the table.
    package static let known: [PushType] = table.map { PushType($0.name.description) }

    package var description: String { name }

    /// The demands of this type.
    package var rules: Rules {
        var name = name
        return name.withUTF8 { unsafe Self.rules(named: $0) }
    }

    /// Returns the demands of the type with this header value.
    ///
    /// It allocates nothing: rows may have types of their own.
    package static func rules(named name: UnsafeBufferPointer<UInt8>) -> Rules {
        for entry in table where unsafe entry.name.equals(name) {
            return entry.rules
        }
        return .unknownType
    }

    /// Every type with its rules, most frequent first.
    ///
    /// The topic of `mdm` is the UID of the push certificate's subject, of `alert` and `background`
    /// the bundle id alone.
    private static let table: [(name: StaticString, rules: Rules)] = [
        ("alert", Rules()),
        ("background", Rules(requiredPriority: 5)),
        ("liveactivity", Rules(topicSuffix: ".push-type.liveactivity")),
        ("voip", Rules(topicSuffix: ".voip", payloadBytesMax: Limits.payloadBytesMaxVoIP)),
        ("complication", Rules(topicSuffix: ".complication")),
        ("fileprovider", Rules(topicSuffix: ".pushkit.fileprovider")),
        ("mdm", Rules()),
        ("location", Rules(topicSuffix: ".location-query")),
        ("pushtotalk", Rules(topicSuffix: ".voip-ptt")),
        ("widgets", Rules(topicSuffix: ".push-type.widgets")),
        ("controls", Rules(topicSuffix: ".push-type.controls")),
    ]
}
