extension ParsedArguments {
    /// Fills options that the command line leaves open, from the environment and the file.
    ///
    /// The command line wins over the environment, the environment over the profile, and the
    /// profile over the rest of the file. A winning option also removes the options that it
    /// excludes, and the options that needed those: with a key in the file and `--certificate` on
    /// the command line, the certificate is used.
    mutating func fill(
        from surroundings: Surroundings, commands: [CommandSpec]
    ) throws(UsageError) {
        guard command.takesConfiguration else { return }
        unknownVariables = try UnknownVariables.find(command, among: commands, in: surroundings)
        var layers = [ownLayer, try OptionLayer(environmentOf: command, surroundings)]
        add(layers[1])
        if let path = self[Options.config] {
            let bytes: [UInt8]
            do throws(Surroundings.Unreadable) {
                bytes = try surroundings.contents(path)
            } catch {
                throw self.error(
                    Options.config, "\(path) cannot be read: \(error.reason)")
            }
            let file = try ConfigurationFile(
                bytes, path: path, command: command, commands: commands)
            for layer in try file.layers(
                profile: self[Options.profile], path: path, command: command)
            {
                layers.append(layer)
                add(layer)
            }
        }
        dropOffline()
        dropOrphans(layers)
    }

    /// Removes settings from a file and the environment for a provider that is not asked.
    ///
    /// A `check` without requests passes over options that only `send` uses, like those of other
    /// commands.
    private mutating func dropOffline() {
        guard !isMet(Options.online.name) else { return }
        for option in command.options
        where option.needs.contains(Options.online.name) && isInForce(option)
            && origin(of: option) != .commandLine
        {
            set(option, to: .none, from: .commandLine)
        }
    }

    /// The layer of the command line itself.
    private var ownLayer: OptionLayer {
        var layer = OptionLayer(origin: .commandLine)
        for option in command.options { layer.settings[option.name] = setting(option) }
        return layer
    }

    /// Adds the settings that no higher layer has decided or excluded.
    private mutating func add(_ layer: OptionLayer) {
        let before = self
        for option in command.options {
            guard let setting = layer.settings[option.name], !before.isDecided(option) else {
                continue
            }
            if setting.isInForce && before.excludes(option, layer) { continue }
            set(option, to: setting, from: layer.origin)
        }
    }

    private func excludes(_ option: OptionSpec, _ layer: OptionLayer) -> Bool {
        if option.excludes.contains(where: isMet) { return true }
        return command.options.contains { other in
            isInForce(other)
                && other.excludes.contains { condition in
                    condition.split(separator: "=").first.map(String.init) == option.name
                        && layer.meets(condition)
                }
        }
    }

    /// Removes options whose needed option has lost to a higher layer.
    ///
    /// An option that never had the needed one stays, and is refused as on the command line.
    private mutating func dropOrphans(_ layers: [OptionLayer]) {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for option in command.options where isInForce(option) {
                guard
                    let place = layers.firstIndex(where: { $0.origin == origin(of: option) }),
                    place > 0
                else { continue }
                let missing = option.needs.filter { !isMet($0) }
                let hadAll = missing.allSatisfy { need in
                    layers[place...].contains { $0.meets(need) }
                }
                guard !missing.isEmpty, hadAll else { continue }
                set(option, to: .none, from: .commandLine)
                isSettled = false
            }
        }
    }
}
