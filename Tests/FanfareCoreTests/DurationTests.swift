import FanfareBase
import Testing

/// Durations as a number of nanoseconds.
@Suite struct DurationTests {
    @Test func `whole nanoseconds are cut off toward zero`() {
        #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
        #expect(
            Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).wholeNanoseconds == 1
        )
        #expect(
            Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999).wholeNanoseconds
                == -1)
    }

    @Test func `a duration beyond 64 bits of nanoseconds is the longest one`() {
        // 2^63 ns are 9,223,372,036.854775808 s.
        #expect(
            Duration.milliseconds(9_223_372_036_854).wholeNanoseconds == 9_223_372_036_854_000_000)
        #expect(Duration.milliseconds(9_223_372_036_855).wholeNanoseconds == .max)
        #expect(Duration.milliseconds(9_223_372_036_999).wholeNanoseconds == .max)
        #expect(Duration.seconds(9_223_372_037).wholeNanoseconds == .max)
        #expect(Duration.milliseconds(-9_223_372_036_999).wholeNanoseconds == .min)
        #expect(Duration.seconds(-9_223_372_037).wholeNanoseconds == .min)
    }
}
