import Fanfare
import FanfareCore
import FanfareSystem

extension Message {
    /// Creates the message of a command line from its options, and a message's file for the rest.
    ///
    /// The result is `nil` if the command line gives neither.
    init?(_ arguments: ParsedArguments) throws(CommandError) {
        let path = arguments[Options.message]
        var message = if let path { try Message(file: path) } else { Message() }
        var flags = try AlertFlags(arguments)
        let said = NeutralMessage(flags)
        message.title = said.title ?? message.title
        message.subtitle = said.subtitle ?? message.subtitle
        message.body = said.body ?? message.body
        message.image = arguments[Options.image] ?? message.image
        message.link = arguments[Options.link] ?? message.link
        message.badge = said.badge ?? message.badge
        // An empty one takes that of the file away.
        if flags.sound != nil { message.sound = said.sound }
        if !said.data.isEmpty { message.orderedData = said.data }
        message.ttl = arguments[Options.ttl] ?? message.ttl
        message.collapse = arguments[Options.collapse] ?? message.collapse
        message.priority =
            arguments[Options.priority].flatMap(Priority.init(rawValue:)) ?? message.priority
        // Beside a title of the file, too, an alert is the text.
        flags.title = message.title
        flags.subtitle = message.subtitle
        message.ownMembers = flags.ownMembers.map { OwnMember($0.pointer, $0.json) }
        guard path != nil || message != Message() else { return nil }
        self = message
    }

    /// Reads a message's file; `-` is standard input.
    init(file path: String) throws(CommandError) {
        let json = try PayloadSource.contents(of: path)
        do throws(FanfareError) {
            try self.init(json: json, name: path == "-" ? "the message" : "the message \(path)")
        } catch {
            throw .job(error)
        }
    }
}

extension AlertFlags {
    fileprivate init(_ arguments: ParsedArguments) throws(CommandError) {
        self.init()
        alert = arguments[Options.alert]
        title = arguments[Options.title]
        subtitle = arguments[Options.subtitle]
        body = arguments[Options.body]
        badge = arguments[Options.badge].flatMap { Number($0) }
        sound = arguments[Options.sound]
        category = arguments[Options.category]
        threadID = arguments[Options.threadID]
        isContentAvailable = arguments[Options.contentAvailable]
        isContentMutable = arguments[Options.mutableContent]
        interruptionLevel = arguments[Options.interruptionLevel]
        // As it was written: 0.80 stays that.
        relevanceScore = arguments.text(Options.relevanceScore).flatMap { Number($0) }
        targetContentID = arguments[Options.targetContentID]
        data = arguments[Options.data]
        if data.contains(where: { $0.key == "aps" }) {
            throw arguments.fault(Options.data, "'aps' is Apple's own; use --payload-json for it")
        }
        for (index, pair) in data.enumerated()
        where data[..<index].contains(where: { $0.key == pair.key }) {
            throw arguments.fault(Options.data, "'\(pair.key)' comes twice; a key has one value")
        }
    }
}
