import FanfareBase
import FanfareCore
import FanfareSimulator

@testable import Fanfare

/// The early ends of connections.
extension SimulatedWorld {
    /// The connection breaks: bytes under way may still arrive, or not, in either direction.
    func cut(_ link: Link) {
        guard link.phase == .open || link.phase == .leftByClient else { return }
        ledger.note(now, "cut", link.number, [])
        if link.server?.isReading == true && !link.isSilent {
            deliverUp(link, dice.number(0...link.up.count))
        }
        guard link.phase == .open else {
            link.phase = .over
            return
        }
        if !link.isSilent { deliverDown(link, dice.number(0...link.down.count)) }
        guard link.phase == .open else { return }
        link.phase = .dead
        link.server = nil
        plan(.closed(link, "connection reset"), in: delay)
    }

    func fallsSilent(_ link: Link) {
        ledger.note(now, "silent", link.number, [])
        link.isSilent = true
        noticeSilence(link)
    }

    /// The kernel gives up on bytes that the peer does not acknowledge; see
    /// `Limits.unacknowledgedMax`.
    func noticeSilence(_ link: Link) {
        guard plan.network.noticesSilence, link.isSilent, !link.up.isEmpty, !link.closeIsDue else {
            return
        }
        link.closeIsDue = true
        plan(
            .closed(link, "connection timed out"),
            in: Int(Limits.unacknowledgedMax.wholeNanoseconds))
    }

    // MARK: Writes

    /// True if a call that writes fails now: then nothing is written any more, and what has arrived is read
    /// to its end, for as long as the product does that.
    func writeFails(_ link: Link) -> Bool {
        link.writesLeft -= 1
        // The kernel may not know of a reset yet, nor be told at once that the provider has closed.
        let isRefused =
            link.isReset && dice.chance(0.5)
            || link.serverHasClosed && dice.chance(plan.network.failedWrites)
        guard link.writesLeft < 0 || isRefused else { return false }
        ledger.note(now, "write fails", link.number, [])
        failedWrites += 1
        link.writeHasFailed = true
        plan(.broken(link), in: delay)
        plan(
            .closed(link, "broken pipe"),
            in: Int(Limits.readingAfterFailedWriteMax.wholeNanoseconds))
        return true
    }

    /// Of what the client had written before a write failed, some has reached the provider; what that has
    /// written may be under way, in the client's kernel, or lost behind the reset.
    func breaks(_ link: Link) {
        // The provider's own reset has told already what is lost.
        guard !link.isReset, link.phase == .open || link.phase == .leftByClient else { return }
        if link.server?.isReading == true && !link.isSilent {
            deliverUp(link, dice.number(0...link.up.count))
        }
        ledger.note(now, "breaks", link.number, [])
        link.isReset = true
        link.serverHasClosed = true
        link.server = nil
        link.up = []
        if dice.chance(0.5) { link.down.removeLast(dice.number(0...link.down.count)) }
        planDown(link)
    }

    // MARK: The provider's end

    /// The provider's kernel sends a reset: it reads nothing more, and what it had to send may be lost, or
    /// has gone out already.
    func reset(_ link: Link, _ server: SimulatedConnection) {
        ledger.note(now, "reset", link.number, [])
        link.isReset = true
        link.server = nil
        link.up = []
        if server.endsWithReset { link.down.removeLast(dice.number(0...link.down.count)) }
    }
}
