import FanfareBase
import FanfareJSON

/// A file of options: an object with the names of long options, and profiles that win over it.
struct ConfigurationFile {
    let everywhere: OptionLayer
    let profiles: [(name: String, layer: OptionLayer)]

    /// Reads a file for a command, with all its profiles, so that mistakes are found early.
    ///
    /// Options that only other commands have are skipped, so one file can serve several commands.
    init(
        _ bytes: [UInt8], path: String, command: CommandSpec, commands: [CommandSpec]
    ) throws(UsageError) {
        let bytes = Array(bytes.dropFirst(ByteOrderMark.count(in: bytes)))
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw UsageError(command: command.name, "\(path): \(error)")
        }
        let reader = ConfigurationReader(path: path, command: command, commands: commands)
        var members = try reader.members(of: value, path)
        var profiles: [(name: String, layer: OptionLayer)] = []
        if let index = members.firstIndex(where: { $0.key == "profiles" }) {
            let place = "\(path): \"profiles\""
            for (name, value) in try reader.members(of: members.remove(at: index).value, place) {
                let members = try reader.members(of: value, OptionOrigin.place(path, name))
                profiles.append((name, try reader.layer(members, profile: name)))
            }
        }
        everywhere = try reader.layer(members, profile: nil)
        self.profiles = profiles
    }

    /// The layers that are in force with a profile, the one that wins first.
    func layers(
        profile name: String?, path: String, command: CommandSpec
    ) throws(UsageError) -> [OptionLayer] {
        guard let name else { return [everywhere] }
        if let profile = profiles.first(where: { $0.name == name }) {
            return [profile.layer, everywhere]
        }
        let names = profiles.map(\.name)
        let known =
            names.isEmpty
            ? "it has no profiles" : "it has \(names.map(\.quotedForMessage).joined(last: " and "))"
        let advice = Suggestion.question(name, among: names) ?? known
        throw UsageError(
            command: command.name, "\(path): no profile \(name.quotedForMessage); \(advice)")
    }
}
