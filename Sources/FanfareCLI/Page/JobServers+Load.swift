import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

extension JobServers {
    /// Shows this load test.
    /// - Parameters:
    ///   - test: The test.
    ///   - service: The words for the service that it measures.
    ///   - configuration: The settings, which have the test's name.
    func show(_ test: LoadTest, of service: String, _ configuration: Configuration) {
        let start = TimestampWriter.shown(milliseconds: WallClock.milliseconds)
        var page = LivePage(
            title: configuration.name ?? "Load test of \(service)",
            lead: configuration.name == nil
                ? "Began \(start)." : "Load test of \(service). Began \(start).")
        page.remark = configuration.note
        page.isLoadTest = true
        var steps = PageSteps()
        self.page?.show(
            PageServer.Subject(
                page: page,
                figures: { reading, snapshot in
                    let stage = test.stage
                    let left = stage.secondsLeft(reading, at: MachineClock.now)
                    steps.update(stage, over: test.steps, inFlight: reading.inFlight)
                    var figures = PageFigures(reading, snapshot)
                    figures.steps = steps
                    figures.reading.secondsLeft = left
                    figures.reading.inputShare = stage.share(
                        elapsedSeconds: reading.elapsedSeconds, left: left)
                    return figures
                },
                progress: { test.progress }, isStopping: { test.isStopping },
                perform: { _ in ControlAnswer("a load test takes no orders", isError: true) },
                fileName: "fanfare-bench.html"))
    }
}
