import Testing

@testable import Fanfare

/// The settings of lanes to a provider that a file describes.
@Suite struct DescribedLaneTests {
    private func connection(
        _ change: (inout Configuration) throws -> Void = { _ in }
    ) throws -> ConnectionSettings {
        var configuration = Preparation.configuration("token\naa\n")
        try change(&configuration)
        let lanes = try PreparedJob(configuration, identity: Preparation.identity).laneSettings()
        return try #require(lanes.first).connection
    }

    @Test func `its answers are waited for up to 4 MiB`() throws {
        let described = try connection {
            $0.payload = .column
            let file = try Described([:]).file
            $0.provider = try ProviderOptions(
                file, try ProviderSettings(file.provider, given: [], secrets: []))
        }
        #expect(described.session.bodyBytesMax == 4_194_304)
        let ordinary = try connection()
        #expect(ordinary.session.bodyBytesMax == .max)
    }
}
