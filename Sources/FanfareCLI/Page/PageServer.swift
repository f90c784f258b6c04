import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareLoop
import FanfareSystem
import Synchronization

/// Shows a running job to browsers, and performs orders of those that have its key.
///
/// Use it only on its loop's thread, which is none that works on rows.
final class PageServer {
    /// The parts of a job that the server needs.
    struct Subject {
        /// The page, which receives the rest.
        var page: LivePage
        /// The job at a moment.
        var figures: (ProgressReading, ProgressSnapshot) -> PageFigures
        var progress: () -> ProgressSnapshot
        var isStopping: () -> Bool
        var perform: (ControlRequest) -> ControlAnswer
        /// The suggested file name of the last page.
        var fileName: String
    }

    private struct Viewer {
        var client: WebClient
        /// The number of viewers that came before.
        var number: UInt64
        /// True if it has read the page.
        var isReader: Bool
        /// The events that it was told of.
        var eventCount: Int
    }

    private let gate: PageGate
    private let metrics: () -> String
    private let timer: LoopTimer
    private let news = PageNews()
    private var subject: Subject?
    private var page: [UInt8] = []
    private var history = ProgressHistory(started: MachineClock.now)
    private var feed = PageFeed()
    private var viewers: [ObjectIdentifier: Viewer] = [:]
    private var viewerCount: UInt64 = 0
    /// The word on the page that viewers bring who have read it.
    private let readerWord = PageKey.randomText()
    /// The page about the job that has ended, and the message that says so.
    private var finalPage: [UInt8]?
    private var ending: String?
    private var farewell: PageFarewell?
    /// Called when the last viewer of a job that has ended goes.
    private var onLastGone: () -> Void = {}

    /// - Parameters:
    ///   - gate: The gate that decides about requests.
    ///   - loop: The loop that serves them.
    ///   - metrics: Makes the figures for Prometheus, if the gate offers them here.
    init(_ gate: PageGate, loop: EventLoop, metrics: @escaping () -> String) {
        self.gate = gate
        self.metrics = metrics
        timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned self] in look() }
    }

    /// Takes in events of the job, from its log's thread.
    var listener: @Sendable ([LogEvent]) -> Void {
        { [news] events in news.add(events) }
    }

    /// Shows this job from now on.
    func show(_ subject: Subject) {
        self.subject = subject
        var livePage = subject.page
        livePage.readerWord = readerWord
        page = livePage.render()
        history = ProgressHistory(started: MachineClock.now)
        look()
    }

    func close() {
        timer.cancel()
        viewers = [:]
    }

    // MARK: Requests

    /// Answers the bytes of a request that have come.
    func answer(_ bytes: [UInt8], isFull: Bool) -> WebAnswer {
        switch MetricsRequest.read(bytes) {
        case .incomplete:
            return isFull ? .whole(PageReply.refusal(.tooLong).bytes) : .incomplete
        case .malformed: return .whole(PageReply.refusal(.malformed).bytes)
        case .request(let request):
            let body = bytes[min(request.byteCount, bytes.count)...]
            return answer(request, gate.demand(request, body: body), isFull: isFull)
        }
    }

    private func answer(
        _ request: MetricsRequest, _ demand: PageGate.Demand, isFull: Bool
    ) -> WebAnswer {
        let isHead = request.method == "HEAD"
        func refused(_ refusal: PageGate.Refusal) -> WebAnswer {
            .whole(PageReply.refusal(refusal, isHead: isHead).bytes)
        }
        switch demand {
        case .incomplete: return isFull ? refused(.tooLong) : .incomplete
        case .refusal(let refusal): return refused(refusal)
        case .page:
            return .whole(
                PageReply.page(
                    page, script: LivePage.script, style: LivePage.style, isHead: isHead
                ).bytes)
        case .finalPage:
            farewell?.isAsked = true
            guard let finalPage else { return refused(ending == nil ? .tooEarly : .tooLate) }
            return .whole(PageReply.final(finalPage, isHead: isHead).bytes)
        case .metrics:
            let reply = MetricsResponse.to(
                .request(request), isTooLong: false, names: nil, metrics: metrics)
            return .whole(reply?.bytes ?? [])
        case .order(let order):
            guard ending == nil, let subject else { return refused(.tooLate) }
            let answer = subject.perform(order)
            // Viewers see at once the effect of it.
            look()
            return .whole(PageReply.answer(answer).bytes)
        case .stream:
            guard makePlace() else { return refused(.tooManyViewers) }
            let opening = PageReply.stream.bytes + Array((feed.opening + (ending ?? "")).utf8)
            let isReader = request.query == readerWord
            return .stream(opening) { [unowned self] client in admit(client, isReader: isReader) }
        }
    }

    /// Makes a place for a viewer.
    /// - Returns: False if all are taken by those who read.
    private func makePlace() -> Bool {
        guard viewers.count >= Limits.pageViewersMax else { return true }
        let all = Array(viewers)
        let leaving = PagePlaces.leaving(
            all.map { _, viewer in
                PagePlaces.Viewer(
                    number: viewer.number, isReader: viewer.isReader,
                    standsStillSince: viewer.client.standsStillSince)
            }, at: MachineClock.now)
        guard let leaving else { return false }
        viewers[all[leaving].key] = nil
        return true
    }

    private func admit(_ client: WebClient, isReader: Bool) {
        client.onEnd = { [unowned self] client in remove(client) }
        viewers[ObjectIdentifier(client)] = Viewer(
            client: client, number: viewerCount, isReader: isReader, eventCount: feed.eventCount)
        viewerCount += 1
    }

    private func remove(_ client: WebClient) {
        viewers[ObjectIdentifier(client)] = nil
        if viewers.isEmpty, ending != nil { onLastGone() }
    }

    // MARK: News

    /// Looks at the job, and tells those who watch.
    private func look() {
        guard let subject, ending == nil else { return }
        let now = MachineClock.now
        let snapshot = subject.progress()
        let reading = history.read(snapshot, isStopping: subject.isStopping(), at: now)
        feed.add(subject.figures(reading, snapshot))
        feed.add(news.take())
        tell(at: now)
        timer.schedule(at: now.advanced(by: Limits.pageInterval))
    }

    private func tell(at now: Instant) {
        for (key, viewer) in viewers {
            if let moment = viewer.client.standsStillSince,
                now >= moment.advanced(by: Limits.pageStandstillMax)
            {
                viewers[key] = nil
                continue
            }
            // A slow one skips this: its unread bytes stay one message.
            guard !viewer.client.isBehind else { continue }
            viewer.client.send(Array(feed.news(after: viewer.eventCount).utf8))
            viewers[key]?.eventCount = feed.eventCount
        }
    }

    // MARK: The end

    /// Tells the viewers that the job has ended, and waits until they have its last page.
    /// - Parameters:
    ///   - text: The job's ending, in a sentence.
    ///   - make: Makes the page about it, if it is wanted; empty for none.
    ///   - loop: The loop, which runs for as long as that takes, at most `Limits.pageGrace`.
    func end(_ text: String, finalPage make: () -> [UInt8], on loop: EventLoop) {
        look()
        guard !viewers.isEmpty else { return }
        let made = make()
        finalPage = made.isEmpty ? nil : made
        let ending = PageFeed.end(text, pageName: made.isEmpty ? nil : subject?.fileName)
        self.ending = ending
        timer.cancel()
        for viewer in viewers.values { viewer.client.send(Array(ending.utf8)) }
        onLastGone = { [unowned loop] in loop.stop() }
        let now = MachineClock.now
        let farewell = PageFarewell(at: now)
        self.farewell = farewell
        let patience = LoopTimer(loop: loop)
        patience.onFire = { [unowned self, unowned loop, unowned patience] in
            guard let end = self.farewell?.end(at: MachineClock.now) else { return loop.stop() }
            patience.schedule(at: end)
        }
        if let end = farewell.end(at: now) { patience.schedule(at: end) }
        loop.run()
        patience.cancel()
    }
}

/// The events of a job on their way from its log's thread to its page.
private final class PageNews: Sendable {
    private let events = Mutex<[LogEvent]>([])

    /// Takes in events; no more than a page shows are kept.
    func add(_ new: [LogEvent]) {
        events.withLock { events in
            events += new
            if events.count > Limits.pageEventsMax {
                events.removeFirst(events.count - Limits.pageEventsMax)
            }
        }
    }

    /// Hands over the events since the last call.
    func take() -> [LogEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
