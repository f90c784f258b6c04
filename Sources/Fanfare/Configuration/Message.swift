import FanfareBase
package import FanfareCore
import FanfareJSON

/// The content of each notification, from which each provider's payload and headers are made.
///
/// All texts but the keys of ``data`` may hold the placeholders of templates, `{{name|friend}}`. What
/// becomes of each field at each provider stands in `docs/messages.md`; a field that a provider has no
/// place for is left out there, and a warning says so before anything is sent.
public struct Message: Sendable, Equatable {
    /// How urgent it is.
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
    /// What a tap opens: a URL, of the web or of the app, or a placeholder for one.
    public var link: String?
    /// The number on the app's icon: digits, or a placeholder that stands for a number (`{{unread|0}}`).
    public var badge: String?
    /// A sound of the app, or `default`; `nil` for silence.
    public var sound: String?
    /// How long it is kept for a device that is offline, in whole seconds; zero for not at all, `nil` for
    /// as long as the provider likes.
    public var ttl: Duration?
    /// Messages with the same one replace each other.
    public var collapse: String?
    /// How urgent it is; `nil` for the provider's own.
    public var priority: Priority?
    /// Keys of the app's own with their texts, in the order in which they are sent.
    package var orderedData: [NeutralMessage.Datum] = []
    /// What the payload for APNs has besides, and no other provider knows: pointers into it, and JSON.
    package var ownMembers: [OwnMember] = []
    /// What messages to people call it.
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

    /// A message of some fields; the others are not sent.
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

    /// Whether there is nothing in it that a device could be told.
    package var isSilent: Bool {
        [title, subtitle, body, image, link, badge, sound].allSatisfy { $0 == nil }
            && orderedData.isEmpty && ownMembers.isEmpty
    }

    /// Reads a message as files have it: one JSON object whose keys are the fields.
    /// - Parameter json: The object, as `{"title": "Doors open", "ttl": "1h"}`.
    /// - Throws: ``FanfareError`` with code `configuration` and the place of the fault. A key that no field
    ///   has is one, and so is a key that comes twice.
    public init(json: String) throws(FanfareError) {
        try self.init(json: Array(json.utf8), name: "the message")
    }

    /// Reads a message's file.
    /// - Parameters:
    ///   - json: The file's content.
    ///   - name: What messages to people call it.
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
