import FanfareBase
import FanfareCore
import FanfareSimulator

@testable import Fanfare

/// The network between the engine and the provider, and what can go wrong on it.
extension SimulatedWorld {
    var delay: Int { dice.number(plan.network.delay) }

    // MARK: Connections

    /// Names are known at once.
    func beginning(of connection: Int) -> Instant? { .distantPast }

    func openTransport(_ connection: Int) {
        if current[connection] != nil { ledger.violate("connection \(connection) is opened twice") }
        let link = Link(number: links.count, place: connection)
        links.append(link)
        current[connection] = link
        ledger.note(now, "dial", link.number, [])
        if plan.network.outage.contains(elapsed) || dice.chance(plan.network.refusedDials) {
            plan(.closed(link, "connection refused"), in: delay)
        } else if !dice.chance(plan.network.hangingDials) {
            plan(.dialled(link), in: delay)
        }
    }

    func dialled(_ link: Link) {
        guard link.phase == .dialling, current[link.place] === link else { return }
        link.phase = .open
        ledger.note(now, "dialled", link.number, [])
        accepted.append(link.number)
        // swift-format-ignore: NeverUseForceTry
        link.server = try! SimulatedConnection(
            core: core, number: UInt64(accepted.count), isCertified: !plan.usesTokens, now: now)
        if dice.chance(plan.network.cuts) {
            switch dice.number(0...2) {
            case 0: plan(.cut(link), in: dice.number(plan.network.cutTime))
            case 1: link.upBytesLeft = dice.number(plan.network.cutBytes)
            default: link.downBytesLeft = dice.number(plan.network.cutBytes)
            }
        }
        if dice.chance(plan.network.failedWrites) {
            link.writesLeft = dice.number(plan.network.writesBeforeFailure)
        }
        if dice.chance(plan.network.silences) {
            plan(.falls(silent: link), in: dice.number(plan.network.cutTime))
        }
        engine.transportOpened(link.place, now: now)
        pump(link)
    }

    func closeTransport(_ connection: Int) {
        guard let link = current.removeValue(forKey: connection) else { return }
        ledger.note(now, "left", link.number, [])
        // Bytes that were taken still go to the provider; bytes that come back are of no interest.
        link.phase = link.phase == .open ? .leftByClient : .over
        link.down = []
    }

    /// The client is told that its connection is gone.
    func closed(_ link: Link, _ text: String) {
        guard current[link.place] === link else { return }
        ledger.note(now, "closed", link.number, [])
        link.phase = .over
        link.server = nil
        current[link.place] = nil
        engine.transportClosed(link.place, .transient(Statement(text)), now: now)
    }

    // MARK: Up

    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        guard let link = current[connection], link.phase == .open || link.phase == .dead else {
            return bytes.count
        }
        if link.writeHasFailed || writeFails(link) { return 0 }
        let room = max(0, plan.network.upCapacity - link.up.count)
        var count = min(bytes.count, room)
        if dice.chance(plan.network.refusedWrites) { count = 0 }
        if dice.chance(plan.network.partialWrites) { count = dice.number(0...count) }
        let taken = Array(bytes[..<count])
        ledger.note(now, "send", link.number, taken)
        ledger.clientSent(link, taken[...])
        link.up += taken
        link.clientIsBlocked = count < bytes.count
        if link.clientIsBlocked && link.up.count < plan.network.upCapacity { planWritable(link) }
        planUp(link)
        noticeSilence(link)
        return count
    }

    func planWritable(_ link: Link) {
        guard link.phase == .open, link.clientIsBlocked, !link.writeHasFailed, !link.writableIsDue
        else { return }
        link.writableIsDue = true
        plan(.writable(link), in: delay)
    }

    func becomesWritable(_ link: Link) {
        link.writableIsDue = false
        guard current[link.place] === link, link.phase == .open, !link.writeHasFailed else {
            return
        }
        // A write that waits for room may fail, too.
        if writeFails(link) { return }
        link.clientIsBlocked = false
        ledger.note(now, "writable", link.number, [])
        engine.transportWritable(link.place, now: now)
    }

    private func planUp(_ link: Link) {
        guard !link.upIsDue, !link.up.isEmpty, !link.isSilent, let server = link.server,
            server.isReading, link.phase == .open || link.phase == .leftByClient
        else { return }
        link.upIsDue = true
        plan(.up(link), in: delay)
    }

    func arrivesUp(_ link: Link) {
        link.upIsDue = false
        guard link.phase == .open || link.phase == .leftByClient, !link.isSilent, !link.up.isEmpty
        else { return }
        // A provider that cannot write does not read; it goes on when its bytes have gone.
        if link.phase == .open && link.down.count >= plan.network.downCapacity { return }
        deliverUp(link, min(piece(of: link.up.count), link.upBytesLeft))
        if link.upBytesLeft <= 0 { return cut(link) }
        planUp(link)
        if link.up.count < plan.network.upCapacity { planWritable(link) }
        if link.phase == .leftByClient && link.up.isEmpty { link.server = nil }
    }

    func deliverUp(_ link: Link, _ count: Int) {
        guard count > 0, let server = link.server else { return }
        let bytes = Array(link.up.prefix(count))
        link.up.removeFirst(count)
        link.upBytesLeft -= count
        ledger.note(now, "up", link.number, bytes)
        bytes.withUnsafeBytes {
            server.receive($0, now: now, unixMilliseconds: providerMilliseconds)
        }
        if !core.log.lines.isEmpty {
            ledger.providerLogged(core.log.lines.bytes, links: accepted)
            core.log.removeFirst(core.log.lines.count)
        }
        pump(link)
    }

    // MARK: Down

    /// Lets the provider write, as far as there is room, and looks what it plans.
    private func pump(_ link: Link) {
        guard let server = link.server, link.phase == .open || link.phase == .leftByClient else {
            return
        }
        while server.wantsWrite, link.down.count < plan.network.downCapacity {
            var buffer = ByteBuffer()
            server.write(into: &buffer, limit: plan.network.downCapacity - link.down.count)
            guard !buffer.isEmpty else { break }
            let bytes = Array(buffer.bytes)
            ledger.note(now, "write", link.number, bytes)
            ledger.serverSent(link, bytes[...])
            // Bytes for a client that has left are lost.
            if link.phase == .open { link.down += bytes }
        }
        if server.wantsClose && !link.serverHasClosed {
            link.serverHasClosed = true
            closings[server.endsWithReset ? 1 : server.leavesUnread ? 2 : 0] += 1
            if server.endsWithReset || server.leavesUnread { reset(link, server) }
        }
        planDown(link)
        if !link.isReset, let deadline = server.nextDeadline, deadline != link.serverDeadline {
            link.serverDeadline = deadline
            queue.insert(.serverTimer(link, deadline), at: max(deadline, now))
        }
    }

    func serverTimerFired(_ link: Link, _ due: Instant) {
        guard let server = link.server, link.serverDeadline == due else { return }
        link.serverDeadline = nil
        ledger.note(now, "timer", link.number, [])
        server.timerFired(now: now)
        pump(link)
    }

    func planDown(_ link: Link) {
        guard link.phase == .open, !link.isSilent else { return }
        if !link.down.isEmpty {
            guard !link.downIsDue else { return }
            link.downIsDue = true
            plan(.down(link), in: delay)
        } else if link.serverHasClosed && !link.closeIsDue {
            link.closeIsDue = true
            plan(.closed(link, "closed"), in: delay)
        }
    }

    func arrivesDown(_ link: Link) {
        link.downIsDue = false
        guard link.phase == .open, !link.isSilent, !link.down.isEmpty else { return }
        deliverDown(link, min(piece(of: link.down.count), link.downBytesLeft))
        if link.downBytesLeft <= 0 { return cut(link) }
        pump(link)
        planDown(link)
        planUp(link)
    }

    func deliverDown(_ link: Link, _ count: Int) {
        guard count > 0, current[link.place] === link else { return }
        let bytes = Array(link.down.prefix(count))
        link.down.removeFirst(count)
        link.downBytesLeft -= count
        ledger.note(now, "down", link.number, bytes)
        ledger.clientReceives(link, bytes[...], live: liveStreams(of: link.place))
        bytes.withUnsafeBytes { engine.received($0, on: link.place, now: now) }
    }

    private func piece(of count: Int) -> Int {
        switch plan.network.pieces {
        case .whole: count
        case .any: dice.number(1...count)
        case .small: dice.number(1...min(count, 20))
        case .single: 1
        }
    }
}
