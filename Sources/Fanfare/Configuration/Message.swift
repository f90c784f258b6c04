import FanfareBase
package import FanfareCore
import FanfareJSON

/// The content of each notification, from which each provider's payload and headers are made.
///
/// All texts but the keys of ``data`` may contain the placeholders of templates, `{{name|friend}}`.
/// `docs/messages.md` lists each field's counterpart at each provider. A provider without a place
/// for a field does not get it, and a warning says so before anything is sent.
public struct Message: Sendable, Equatable {
    /// The urgency of a message.
    public enum Priority: String, Sendable, CaseIterable {
        /// It wakes a device.
        case high
        /// It spares the device's battery.
        case normal
    }

    /// The headline.
    public var title: String?
    /// A line below the title.
    public var subtitle: String?
    /// The text.
    public var body: String?
    /// A picture: an `https` URL, or a placeholder for one.
    public var image: String?
    /// The target of a tap: a URL, of the web or of the app, or a placeholder for one.
    public var link: String?
    /// The number on the app's icon: digits, or a placeholder that stands for a number (`{{unread|0}}`).
    public var badge: String?
    /// A sound of the app, or `default`; `nil` for silence.
    public var sound: String?
    /// The time for which the provider keeps it for an offline device, in whole seconds; zero for
    /// not at all, `nil` for the provider's default.
    public var ttl: Duration?
    /// The key of messages that replace each other.
    public var collapse: String?
    /// The urgency; `nil` for the provider's default.
    public var priority: Priority?
    /// Keys of the app's own with their texts, in the order in which they are sent.
    package var orderedData: [NeutralMessage.Datum] = []
    /// Further members of the payload for APNs, which no other provider knows: pointers into it,
    /// and JSON.
    package var ownMembers: [OwnMember] = []
    /// The message's name in texts for people.
    package var name = "the message"

    /// A member of the payload for APNs.
    package struct OwnMember: Sendable, Equatable {
        package var pointer: String
        package var json: String

        package init(_ pointer: String, _ json: String) {
            self.pointer = pointer
            self.json = json
        }
    }

    /// Keys of the app's own, each with a text; they are sent in the order of the keys.
    public var data: [String: String] {
        get { Dictionary(orderedData.map { ($0.key, $0.value) }) { $1 } }
        set {
            orderedData = newValue.sorted { $0.key < $1.key }
                .map { NeutralMessage.Datum($0.key, $0.value) }
        }
    }

    /// Creates a message of some fields; the others are not sent.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, image: String? = nil,
        link: String? = nil, data: [String: String] = [:], badge: String? = nil,
        sound: String? = nil, ttl: Duration? = nil, collapse: String? = nil,
        priority: Priority? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.image = image
        self.link = link
        self.badge = badge
        self.sound = sound
        self.ttl = ttl
        self.collapse = collapse
        self.priority = priority
        self.data = data
    }

    /// True if it contains nothing to show on a device.
    package var isSilent: Bool {
        [title, subtitle, body, image, link, badge, sound].allSatisfy { $0 == nil }
            && orderedData.isEmpty && ownMembers.isEmpty
    }

    /// Reads a message as files have it: one JSON object whose keys are the fields.
    /// - Parameter json: The object, as `{"title": "Doors open", "ttl": "1h"}`.
    /// - Throws: ``FanfareError`` with code `configuration` and the place of the fault, such as an
    ///   unknown key, or a key that comes twice.
    public init(json: String) throws(FanfareError) {
        try self.init(json: Array(json.utf8), name: "the message")
    }

    /// Reads a message's file.
    /// - Parameters:
    ///   - json: The file's content.
    ///   - name: The message's name in texts for people.
    /// - Throws: `FanfareError` with code `configuration`.
    package init(json: [UInt8], name: String) throws(FanfareError) {
        let read: NeutralMessage
        do throws(MessageFileError) {
            read = try unsafe json.withUnsafeBufferPointer { bytes throws(MessageFileError) in
                try unsafe NeutralMessage(json: bytes)
            }
        } catch {
            throw FanfareError(
                .configuration,
                error.pointer.isEmpty ? "\(name) \(error.text)" : "\(name): \(error.description)")
        }
        self.init(
            title: read.title, subtitle: read.subtitle, body: read.body, image: read.image,
            link: read.link, badge: read.badge, sound: read.sound,
            ttl: read.ttl.map { .seconds($0) }, collapse: read.collapse,
            priority: read.priority.flatMap { Priority(rawValue: $0.rawValue) })
        orderedData = read.data
        self.name = name
    }
}
