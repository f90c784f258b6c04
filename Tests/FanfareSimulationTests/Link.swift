import FanfareBase
import FanfareCore
import FanfareSimulator

/// One simulated TCP connection: the bytes under way, and the provider at its other end.
///
/// The way up leads from the client to the provider, the way down back.
final class Link {
    enum Phase {
        case dialling
        case open
        /// The client has closed it; what it sent before still arrives.
        case leftByClient
        /// Nothing passes any more; the client may not have noticed yet.
        case dead
        case over
    }

    let number: Int
    /// The client's name for it.
    let place: Int
    var phase = Phase.dialling

    var server: SimulatedConnection?
    var up: [UInt8] = []
    var down: [UInt8] = []
    var upIsDue = false
    var downIsDue = false
    var clientIsBlocked = false
    /// Calls that write until one of them fails.
    var writesLeft = Int.max
    /// Nothing more is written; what has arrived is read to its end: decision 031.
    var writeHasFailed = false
    var writableIsDue = false
    /// The provider has closed: what is on the way down still arrives.
    var serverHasClosed = false
    /// The provider has closed with a reset: what the client writes is lost, or not even taken.
    var isReset = false
    var closeIsDue = false
    var serverDeadline: Instant?
    /// Bytes arrive no more, though no packet has said so.
    var isSilent = false
    var silentSince: Instant?
    /// The connection is cut when so many bytes have arrived in one direction.
    var upBytesLeft = Int.max
    var downBytesLeft = Int.max

    var clientTap = FrameTap(isClient: true)
    var serverTap = FrameTap(isClient: false)
    var deliveredTap = FrameTap(isClient: false)

    init(number: Int, place: Int) {
        self.number = number
        self.place = place
    }
}
