import Testing

/// The engine knows providers by `PushService` alone.
@Suite struct ProviderTests {
    @Test(arguments: ["Engine", "Lane"])
    func `no file names a provider`(folder: String) throws {
        let names = ["apns", "apple", "fcm", "firebase", "webpush"]
        for file in try Tree.swift(in: "Sources/Fanfare/\(folder)") {
            for (number, line) in file.lines {
                let found = names.filter(line.lowercased().contains)
                #expect(found.isEmpty, "\(file.path):\(number) names \(found)")
            }
        }
    }
}
