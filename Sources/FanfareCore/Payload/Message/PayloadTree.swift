/// A JSON object that is put together member by member, in the order in which they come.
struct PayloadTree {
    private indirect enum Node {
        case json(String)
        case object([(key: String, node: Node)])
    }

    private var members: [(key: String, node: Node)] = []

    /// The object as JSON without white space.
    var json: String { Self.json(members) }

    /// Sets a member; one that is there keeps its place.
    /// - Parameters:
    ///   - path: The keys that lead there; objects on the way are made.
    ///   - json: The member's value as JSON; `{}` for an object that others may be put into.
    mutating func set(_ path: [String], _ json: String) {
        Self.set(path[...], json == "{}" ? .object([]) : .json(json), in: &members)
    }

    private static func set(
        _ path: ArraySlice<String>, _ node: Node, in members: inout [(key: String, node: Node)]
    ) {
        guard let key = path.first else { return }
        let place = members.firstIndex { $0.key == key } ?? members.count
        if place == members.count { members.append((key, .object([]))) }
        guard path.count > 1 else {
            members[place].node = node
            return
        }
        var inner: [(key: String, node: Node)] = []
        if case .object(let found) = members[place].node { inner = found }
        set(path.dropFirst(), node, in: &inner)
        members[place].node = .object(inner)
    }

    private static func json(_ members: [(key: String, node: Node)]) -> String {
        let texts = members.map { key, node in
            switch node {
            case .json(let json): "\(AlertFlags.quoted(key)):\(json)"
            case .object(let inner): "\(AlertFlags.quoted(key)):\(json(inner))"
            }
        }
        return "{\(texts.joined(separator: ","))}"
    }
}
