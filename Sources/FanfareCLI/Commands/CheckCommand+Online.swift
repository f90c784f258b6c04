import Fanfare

/// `fanfare check --online`: asks FCM about the rows, and delivers nothing.
///
/// The same job as `send`, with requests that are only looked at.
extension CheckCommand {
    static func runOnline(
        _ configuration: Configuration, _ arguments: ParsedArguments
    ) throws(CommandError) -> Int32 {
        var configuration = configuration
        try configuration.readOnline(arguments)
        return try SendCommand.send(
            configuration, arguments, strict: arguments[Options.strict], isCheck: true,
            output: ResultOutput(arguments))
    }
}

extension Configuration {
    /// Reads the providers to ask, and the credentials.
    mutating func readOnline(_ arguments: ParsedArguments) throws(CommandError) {
        guard routes.contains(where: { $0.provider == .fcm }) else {
            throw arguments.fault(
                Options.online,
                "asks FCM, and there are no rows for it; --provider apns,fcm is for both")
        }
        changeAll { $0.validatesOnly = true }
        // There is nothing to wait for behind a seed list that is not sent.
        seeds = nil
        report.unregisteredPath = arguments[Options.unregistered]
        report.resumes = arguments[Options.resume]
        readFCM(arguments)
        readEndpoint(arguments)
        try readProxy(arguments)
        readTrust(arguments)
        // Nothing goes to the others.
        for index in routes.indices where routes[index].provider != .fcm {
            routes[index].verifiesServer = true
        }
        for route in routes where route.provider == .fcm {
            try requireCredentials(of: route, arguments)
        }
    }
}
