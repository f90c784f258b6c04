extension NeutralMessage {
    /// Takes the part of the options for APNs that holds for every provider.
    package init(_ flags: AlertFlags) {
        title = flags.title
        subtitle = flags.subtitle
        body = flags.body ?? flags.alert
        badge = flags.badge?.text
        // Nothing to other providers.
        sound = flags.sound == "" ? nil : flags.sound
        data = flags.data.map { Datum($0.key, $0.value) }
    }
}

extension AlertFlags {
    /// The members that are for APNs alone: pointers into the payload, with their JSON.
    ///
    /// The payload of a neutral message made of the flags, with these members, is `json()`.
    package var ownMembers: [(pointer: String, json: String)] {
        var members: [(pointer: String, json: String)] = []
        func add(_ key: String, _ json: String?) {
            if let json { members.append(("/aps/\(key)", json)) }
        }
        // Alone it is the alert; beside a title it is the body.
        if title == nil && subtitle == nil && body == nil {
            add("alert", alert.map(Self.quoted))
        }
        if sound == "" { add("sound", Self.quoted("")) }
        for (key, json) in furtherMembers { add(key, json) }
        return members
    }
}
