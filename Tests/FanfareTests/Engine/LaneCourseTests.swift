import FanfareBase
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The times at which requests of a lane may start.
@Suite struct LaneCourseTests {
    private static func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test func `requests start before the deadline, and none at it`() {
        let course = LaneCourse(until: Self.at(100), isHostOfRows: false)
        let (before, then) = (
            course.mayStart(now: Self.at(99)), course.mayStart(now: Self.at(100))
        )
        #expect(before && !then)
    }

    @Test func `none starts during a pause, and they go on behind it`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: false)
        course.pause(true)
        let during = course.mayStart(now: Self.at(1))
        course.pause(false)
        let behind = course.mayStart(now: Self.at(1))
        #expect(!during && behind)
    }

    @Test func `the first reason to stop is the one that counts`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: false)
        course.drain(JobStop(.interrupted, "first"))
        course.drain(JobStop(.refused, "second"))
        let (stop, mayStart, isFinished) = (
            course.stop, course.mayStart(now: Self.at(1)), course.isFinished
        )
        #expect(stop == JobStop(.interrupted, "first"))
        // Requests in flight still have their answers to wait for.
        #expect(!mayStart && !isFinished)
    }

    @Test func `a deadline is waited for as long as it changes something`() {
        var course = LaneCourse(until: Self.at(100), isHostOfRows: false)
        let (before, then) = (
            course.deadline(now: Self.at(99)), course.deadline(now: Self.at(100))
        )
        course.drain(JobStop(.interrupted, "stopped"))
        let stopped = course.deadline(now: Self.at(99))
        #expect(before == Self.at(100))
        #expect(then == nil && stopped == nil)
    }

    @Test func `a host that rows name ends its own rows, and not the job`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: true)
        course.drain(JobStop(.refused, "no answer from the host for 30.0 s: it is mute"))
        course.drain(JobStop(.refused, "second"))
        let (stop, mayStart) = (course.stop, course.mayStart(now: Self.at(1)))
        #expect(stop == nil && !mayStart)
        let fault = String(decoding: course.hostFault.text, as: UTF8.self)
        #expect(
            fault == "host was given up: no answer from the host for 30.0 s: it is mute")
        let outcome = course.hostFault.outcome
        let (told, again) = (course.takeUntold(), course.takeUntold())
        #expect(told == JobStop(.refused, "no answer from the host for 30.0 s: it is mute"))
        #expect(again == nil)
        #expect(outcome == .failed)
    }

    @Test func `rows of a host that wants to be left alone are throttled`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: true)
        course.drain(JobStop(.refused, "it asks for a wait of 1 h 00 min"), .throttled)
        let fault = course.hostFault
        #expect(fault.outcome == .throttled)
        #expect(
            String(decoding: fault.text, as: UTF8.self)
                == "host was given up: it asks for a wait of 1 h 00 min")
    }

    @Test func `a stop of the whole job stops a host that rows name, too`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: true)
        course.stopStarting(JobStop(.interrupted, "stopped"))
        let (stop, fault) = (course.stop, course.hostFault)
        #expect(stop == JobStop(.interrupted, "stopped"))
        #expect(fault.isEmpty)
    }

    @Test func `the reason why a host was given up is cut between characters`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: true)
        course.drain(JobStop(.refused, Statement(String(repeating: "é", count: 200))))
        // "host was given up: " has 19 bytes, and each letter two: 118 letters fit into 256 bytes.
        let count = course.hostFault.text.count
        #expect(count == 19 + 118 * 2)
    }

    @Test func `a host that sits out is kept waiting until its time has come`() {
        var course = LaneCourse(until: .distantFuture, isHostOfRows: true)
        let awake = course.isKeptWaiting(now: Self.at(1))
        course.sitOut(until: Self.at(20))
        let starts = course.mayStart(now: Self.at(19))
        let (out, due) = (
            course.isKeptWaiting(now: Self.at(19)), course.isKeptWaiting(now: Self.at(20))
        )
        #expect(awake && out && !starts && !due)
        // The job's pause is no fault of the host.
        course.pause(true)
        let paused = course.isKeptWaiting(now: Self.at(19))
        course.pause(false)
        let stillOut = course.isPaused
        course.sitOut(until: nil)
        let back = course.mayStart(now: Self.at(20))
        #expect(!paused && stillOut && back)
    }
}
