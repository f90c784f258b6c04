import Foundation
import Testing

/// Inputs that fuzzing has found, each of which once led to a new place or to a fault.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/corpus")

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `what was found stays mended`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") {
                try target.check(bytes)
            }
        }
    }

    @Test func `every folder of the corpus has a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `bytes without any sense do no harm`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        try target.check([])
        for byte in UInt8.min...UInt8.max { try target.check([byte, byte, byte]) }
    }
}
