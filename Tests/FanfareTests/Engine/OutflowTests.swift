import Testing

@testable import Fanfare

/// The bytes of a connection on their way.
@Suite struct OutflowTests {
    @Test(arguments: [(10, false), (9, true), (0, true)])
    func `a transport that leaves bytes behind is full until it takes some again`(
        taken: Int, isFull: Bool
    ) {
        var plain = Outflow()
        plain.made(10)
        plain.sent(plaintext: taken, of: 10)
        var encrypted = Outflow()
        encrypted.made(4)
        encrypted.encrypted(4, before: 0, after: 10)
        encrypted.sent(ciphertext: taken, of: 10)
        let areFull = [plain.isFull, plain.isBlocked, encrypted.isFull, encrypted.isBlocked]
        #expect(areFull.allSatisfy { $0 == isFull })
        plain.unblocked()
        encrypted.unblocked()
        let areBlocked = [plain.isBlocked, encrypted.isBlocked]
        #expect(areBlocked == [false, false])
    }

    @Test func `a connection is blocked while the peer is in the midst of a message`() {
        var outflow = Outflow()
        outflow.hold()
        let (isFull, isBlocked) = (outflow.isFull, outflow.isBlocked)
        outflow.release()
        let isReleased = !outflow.isBlocked
        #expect(!isFull && isBlocked && isReleased)
    }
}
