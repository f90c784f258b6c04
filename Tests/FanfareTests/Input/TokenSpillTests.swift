import FanfareBase
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

@Suite struct TokenSpillTests {
    @Test(arguments: [1, 3, 4096])
    func `parts come back whole and in order, and leave no file`(blockTokens: Int) throws {
        let folder = try TemporaryFolder()
        let spill = TokenSpill(folder: folder.path, blockTokens: blockTokens)
        var generator = SplitMix64(seed: 3)
        var expected = [[UInt64]](repeating: [], count: Limits.surveyParts)
        for row in 1...UInt64(5000) {
            let low = generator.next() % 7 == 0 ? 5 : generator.next()
            try spill.append(RowToken(digest: TokenDigest(high: row, low: low), row: row))
            expected[Int(low & 255)].append(row)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        for part in 0..<Limits.surveyParts {
            for backwards in [false, true] {
                var rows: [UInt64] = []
                try spill.forEach(ofPart: part, backwards: backwards) { token in
                    rows.append(token.row)
                    #expect(token.digest.high == token.row)
                }
                #expect(rows == (backwards ? expected[part].reversed() : expected[part]))
            }
        }
    }

    @Test func `a folder that takes no files is told`() {
        let spill = TokenSpill(folder: "/nowhere/at/all", blockTokens: 1)
        #expect(throws: (any Error).self) {
            try spill.append(RowToken(digest: TokenDigest(high: 1, low: 1), row: 1))
        }
    }
}
