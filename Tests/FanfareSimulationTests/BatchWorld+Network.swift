import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// The network of a job in batches, and the provider behind it.
extension BatchWorld {
    /// Names are known at once.
    func beginning(of connection: Int) -> Instant? { .distantPast }

    func openTransport(_ connection: Int) {
        if current[connection] != nil { ledger.violate("a connection is opened twice") }
        let link = BatchLink(place: connection)
        current[connection] = link
        if dice.chance(plan.refusedDials) {
            plan(.closed(link, inOrder: false), in: plan.delay)
        } else {
            plan(.dialled(link), in: plan.delay)
        }
    }

    func dialled(_ link: BatchLink) {
        guard current[link.place] === link, !link.isOver else { return }
        link.isOpen = true
        if dice.chance(plan.cuts) {
            if dice.chance(0.5) {
                link.upLeft = dice.number(0...600)
            } else {
                link.downLeft = dice.number(0...400)
            }
        }
        engine.transportOpened(link.place, now: now)
    }

    /// The bytes that were taken still go to the provider; what comes back is of no interest.
    func closeTransport(_ connection: Int) {
        guard let link = current.removeValue(forKey: connection) else { return }
        link.isOpen = false
        link.down = []
        planUp(link)
    }

    func closed(_ link: BatchLink, inOrder: Bool) {
        guard current[link.place] === link else { return }
        link.isOver = true
        link.isOpen = false
        current[link.place] = nil
        if inOrder { engine.transportEnded(link.place) }
        engine.transportClosed(link.place, .transient("end of file"), now: now)
    }

    // MARK: Up

    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        guard let link = current[connection], link.isOpen else { return 0 }
        let count = max(0, min(bytes.count, plan.capacity - link.up.count))
        let taken = Array(bytes[..<count])
        ledger.note(taken)
        link.leaves(taken, ledger)
        link.up += taken
        link.isBlocked = count < bytes.count
        planUp(link)
        return count
    }

    private func planUp(_ link: BatchLink) {
        guard !link.isUpDue, !link.isOver, !link.up.isEmpty else { return }
        link.isUpDue = true
        plan(.up(link), in: plan.delay)
    }

    func arrivesUp(_ link: BatchLink) {
        link.isUpDue = false
        guard !link.isOver, !link.up.isEmpty else { return }
        let count = min(link.up.count, dice.number(1...plan.pieceMax), link.upLeft)
        let bytes = Array(link.up.prefix(count))
        link.up.removeFirst(count)
        link.upLeft -= count
        if let index = link.arrives(bytes) {
            plan(.answered(link, link.requests[index]), in: plan.latency)
        }
        if link.upLeft <= 0 { return cut(link) }
        planUp(link)
        if link.isBlocked { plan(.writable(link), in: plan.delay) }
    }

    func becomesWritable(_ link: BatchLink) {
        guard current[link.place] === link, link.isOpen, link.isBlocked else { return }
        link.isBlocked = false
        engine.transportWritable(link.place, now: now)
    }

    /// The connection breaks; nothing arrives any more.
    private func cut(_ link: BatchLink) {
        link.isOver = true
        link.up = []
        link.down = []
        plan(.closed(link, inOrder: dice.chance(0.5)), in: plan.delay)
    }

    // MARK: Answers

    /// The provider has a whole request, and deals with it.
    func answer(_ request: BatchLedger.Request, on link: BatchLink) {
        var kind = BatchPlan.Answer.results
        for (answer, share) in plan.faults.sorted(by: { "\($0.key)" < "\($1.key)" })
        where dice.chance(share) {
            kind = answer
        }
        guard let text = text(kind, to: request) else {
            if kind == .close {
                link.providerLeaves = true
                if link.isOpen { plan(.closed(link, inOrder: true), in: plan.delay) }
            }
            return
        }
        guard link.isOpen, !link.isOver else { return }
        request.bytesLeft = text.utf8.count
        link.answering = request
        link.down += Array(text.utf8)
        planDown(link)
    }

    /// Returns an answer, and has the ledger know what it says; `nil` for none.
    private func text(_ kind: BatchPlan.Answer, to request: BatchLedger.Request) -> String? {
        func say(_ said: BatchLedger.Said) {
            for row in request.rows { request.said[row] = said }
        }
        switch kind {
        case .results:
            let results = request.rows.map { row in
                if dice.chance(plan.slowShare) {
                    request.said[row] = .slow
                    return #"{"e":"slow"}"#
                }
                let isDead = dice.chance(plan.deadShare)
                request.said[row] = isDead ? .unregistered : .accepted
                return isDead ? #"{"e":"gone"}"# : #"{"id":"m\#(row)"}"#
            }
            return message(200, #"{"r":[\#(results.joined(separator: ","))]}"#)
        case .oneShort:
            say(.nothingCertain)
            let results = request.rows.dropFirst().map { _ in "{}" }.joined(separator: ",")
            return message(200, #"{"r":[\#(results)]}"#)
        case .throttled:
            say(.throttled)
            return message(429, "{}")
        case .tooLarge:
            say(.tooLarge)
            return message(413, "{}")
        case .serverError:
            say(.nothingCertain)
            return message(500, "{}")
        case .garbage:
            say(.nothingCertain)
            return "HTTP/1.1 200 OK\ncontent-length: 2\n\n{}"
        case .nothing, .close:
            say(.nothingCertain)
            return nil
        }
    }

    private func message(_ status: Int, _ body: String) -> String {
        var head = "HTTP/1.1 \(status) Said\r\n"
        if dice.chance(plan.lastAnswers) { head += "connection: close\r\n" }
        guard dice.chance(plan.chunkedAnswers) else {
            return head + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let middle = body.index(body.startIndex, offsetBy: dice.number(1...body.count - 1))
        let chunks = [body[..<middle], body[middle...]].map {
            "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n"
        }
        return head + "transfer-encoding: chunked\r\n\r\n\(chunks.joined())0\r\n\r\n"
    }

    // MARK: Down

    private func planDown(_ link: BatchLink) {
        guard link.isOpen, !link.isDownDue, !link.down.isEmpty else { return }
        link.isDownDue = true
        plan(.down(link), in: plan.delay)
    }

    func arrivesDown(_ link: BatchLink) {
        link.isDownDue = false
        guard link.isOpen, !link.isOver, !link.down.isEmpty, current[link.place] === link else {
            return
        }
        let count = min(link.down.count, dice.number(1...plan.pieceMax), link.downLeft)
        let bytes = Array(link.down.prefix(count))
        link.down.removeFirst(count)
        link.downLeft -= count
        if let request = link.answering, count > 0 {
            request.hasBegun = true
            request.bytesLeft -= count
        }
        ledger.note(bytes)
        bytes.withUnsafeBytes { engine.received($0, on: link.place, now: now) }
        if link.downLeft <= 0 { return cut(link) }
        planDown(link)
    }
}
