import FanfareCore
import Foundation
import Testing

@testable import Fanfare

@Suite struct ShippedProviderTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CShipped/providers")

    @Test func `the program has each file of the folder as it stands there`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.sorted() == ShippedProvider.all.map { "\($0.name).json" })
        for shipped in ShippedProvider.all {
            let file = Self.folder.appending(path: "\(shipped.name).json")
            let bytes = try [UInt8](Data(contentsOf: file))
            #expect(shipped.bytes == bytes)
        }
    }

    @Test(arguments: ShippedProvider.all.map(\.name))
    func `a file is read, and its examples hold`(name: String) throws {
        let shipped = try #require(ShippedProvider(named: name))
        do {
            let file = try ProviderFile(shipped.bytes, name: name)
            #expect(ExampleRun.faults(of: file).map(\.description) == [])
            #expect(file.provider.name == name)
            #expect(!file.provider.examples.isEmpty && !file.provider.sources.isEmpty)
            // None of them was.
            #expect(!file.provider.isTried)
        } catch {
            Issue.record("\(error.list.map(\.description).joined(separator: "\n"))")
        }
    }

    @Test func `only LeanCloud is known to close`() {
        let ends = ShippedProvider.all.compactMap { $0.file().provider.end }
        #expect(ends == ["2027-01-12"])
    }

    @Test func `a name that is none of them is none`() {
        #expect(ShippedProvider(named: "yunba")?.name == nil)
    }
}
