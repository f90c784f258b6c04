import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

@Suite struct SummaryTests {
    static func summary(_ change: (inout Summary) -> Void = { _ in }) -> Summary {
        var histogram = LatencyHistogram()
        for _ in 0..<100 { histogram.record(nanoseconds: 40_000_000) }
        var tally = TallySample.hundredRows()
        tally.bytesSent = 1_572_864
        tally.connectionsOpened = 4
        var summary = Summary(
            jobID: "b7e23ec2", startMilliseconds: 951_782_400_000,
            endMilliseconds: 951_782_402_500, tally: tally, latency: histogram,
            exitStatus: .incomplete, reportPath: "fanfare-report.csv")
        change(&summary)
        return summary
    }

    @Test func `the JSON of a summary is what scripts rely on`() {
        let json = Self.summary {
            $0.stop = JobStop(.refused, "the provider says \"no\"")
            $0.thresholdsCrossed = [Threshold(.failed, .count(10))]
            $0.tally = Tally()
            TallySample.record(&$0.tally, .accepted, 200)
            TallySample.record(&$0.tally, .invalid, 0, "token is empty", attempts: 0)
            TallySample.record(&$0.tally, .failed, 502, "", attempts: 3)
            $0.tally.rowsRead = 3
            $0.limits[.cpu] = 250_000_000
            $0.limits[.streamLimit] = 1_500_400_000
        }.json()
        #expect(
            json == """
                {
                  "schema": "fanfare.summary/1",
                  "job_id": "b7e23ec2",
                  "started_at": "2000-02-29T00:00:00.000Z",
                  "ended_at": "2000-02-29T00:00:02.500Z",
                  "duration_ms": 2500,
                  "exit_code": 1,
                  "stopped_by": {
                    "cause": "refused",
                    "message": "the provider says \\"no\\""
                  },
                  "thresholds_crossed": [
                    "failed>10"
                  ],
                  "rows_read": 3,
                  "resumed_rows": 0,
                  "outcomes": {
                    "accepted": 1,
                    "unregistered": 0,
                    "suspect": 0,
                    "rejected": 0,
                    "throttled": 0,
                    "failed": 1,
                    "unknown": 0,
                    "invalid": 1,
                    "skipped": 0
                  },
                  "reasons": [
                    {
                      "outcome": "accepted",
                      "status": 200,
                      "reason": null,
                      "count": 1
                    },
                    {
                      "outcome": "failed",
                      "status": 502,
                      "reason": null,
                      "count": 1
                    },
                    {
                      "outcome": "invalid",
                      "status": null,
                      "reason": "token is empty",
                      "count": 1
                    }
                  ],
                  "attempts": 4,
                  "retries": 2,
                  "requests_per_second": 1.6,
                  "connections_opened": 0,
                  "limited_by_seconds": {
                    "stream_limit": 1.5,
                    "cpu": 0.25
                  },
                  "bytes_sent": 0,
                  "latency_ms": {
                    "min": 40.0,
                    "p50": 40.0,
                    "p90": 40.0,
                    "p99": 40.0,
                    "p99.9": 40.0,
                    "max": 40.0,
                    "mean": 40.0
                  },
                  "report": "fanfare-report.csv",
                  "unregistered": null,
                  "retry_rows": null,
                  "resume_command": null,
                  "retry_command": null
                }

                """)
    }

    @Test func `a job with a pace says how many starts were late`() {
        let paced = Self.summary { $0.lateStarts = 1234 }
        #expect(paced.json().contains("\"late_starts\": 1234,"))
        #expect(SummaryTable(paced, isDetailed: true).render().contains("  late starts   1,234\n"))
        #expect(!Self.summary().json().contains("late_starts"))
        #expect(!SummaryTable(Self.summary(), isDetailed: true).render().contains("late starts"))
        // The engine's work is shown on demand only.
        #expect(!SummaryTable(paced).render().contains("late starts"))
    }

    @Test func `a job says how many connections it came to want, and what held the first`() {
        let chosen = Self.summary { $0.chosen = .init(count: 16, cause: .flowControl) }
        #expect(chosen.json().contains("\"connections_chosen\": 16,"))
        #expect(chosen.json().contains("\"connections_chosen_for\": \"flow_control\","))
        #expect(
            SummaryTable(chosen, isDetailed: true).render().contains(
                "  connections   4, 16 wanted: flow-control window held the first\n"))
        let enough = Self.summary { $0.chosen = .init(count: 1, cause: nil) }
        #expect(enough.json().contains("\"connections_chosen_for\": null,"))
        #expect(SummaryTable(enough, isDetailed: true).render().contains("  connections   4\n"))
        #expect(!Self.summary().json().contains("chosen"))
    }

    @Test func `a job that only checks says what is valid, and whom it could not ask`() {
        let check = Self.summary { summary in
            summary.onlyChecks = true
            summary.unasked = [.apns]
            summary.tally = Tally()
            TallySample.record(&summary.tally, .skipped, 200, "valid")
            TallySample.record(&summary.tally, .unregistered, 404, "UNREGISTERED")
            summary.tally.rowsRead = 2
            summary.routes = [
                Summary.Route(
                    name: "fcm", tally: summary.tally, latency: LatencyHistogram(),
                    limits: LimitTimes(), connectionsChosen: nil)
            ]
        }
        let table = SummaryTable(check).render()
        #expect(
            table.hasPrefix(
                "Finished in 2.5 s: 1 of 2 valid; 1 dead token to delete\n\n  valid     "),
            "\(table)")
        #expect(table.contains("  fcm           2 rows, 50.0 % valid\n"))
        #expect(table.contains("Rows for apns were checked here only: APNs cannot be asked.\n"))
        let vain = Self.summary {
            $0.onlyChecks = true
            $0.tally = Tally()
            TallySample.record(&$0.tally, .unregistered, 404, "UNREGISTERED")
            $0.tally.rowsRead = 1
        }
        #expect(SummaryTable(vain).render().contains("but no row could be sent"))
    }

    @Test func `the table names what took most of the time, and leaves out the rest`() {
        let summary = Self.summary {
            $0.limits[.pace] = 90_000
            $0.limits[.cpu] = 7_400
            $0.limits[.connecting] = 2_000
            $0.limits[.lastAnswers] = 600
        }
        #expect(
            SummaryTable(summary, isDetailed: true).render().contains(
                "  limited by    pace 90 %, CPU 7 %, connections being opened 2 %\n"))
        #expect(
            !SummaryTable(Self.summary(), isDetailed: true).render().contains("limited by"))
    }

    @Test func `a job of no duration has no rate`() {
        let summary = Self.summary { $0.endMilliseconds = $0.startMilliseconds - 5 }
        #expect(summary.durationMilliseconds == 0)
        #expect(summary.requestsPerSecond == 0)
    }

    @Test func `a job without answers has no latency`() {
        let json = Self.summary { $0.latency = .init(LatencyHistogram()) }.json()
        #expect(json.contains("\"latency_ms\": null"))
    }

    @Test func `empty containers close on their own line's end`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.value(Int64.min)
        writer.value(UInt64.max)
        writer.value(Double.nan)
        writer.value(1.0 / 3)
        writer.endArray()
        #expect(
            writer.finish() == """
                [
                  {},
                  [],
                  -9223372036854775808,
                  18446744073709551615,
                  null,
                  0.333
                ]

                """)
    }
}

@Suite struct SummaryTableTests {
    @Test func `tokens of which an application may be the wrong one are not to be deleted`() {
        let table = SummaryTable(
            SummaryTests.summary {
                $0.unregisteredPath = "dead.csv"
                $0.doubtsDeadTokens = true
            }
        ).render()
        #expect(table.contains("; 4 unregistered; "))
        #expect(table.contains(Summary.deadTokensDoubt) && !table.contains("delete: dead.csv"))
    }

    @Test func `a finished job's table`() {
        let table = SummaryTable(
            SummaryTests.summary {
                $0.unregisteredPath = "dead.csv"
                $0.retryRowsPath = "again.csv"
            }, isDetailed: true
        ).render()
        #expect(
            table == """
                Finished in 2.5 s: 90 of 100 accepted; 4 dead tokens to delete; 3 to send again;
                2 invalid; 1 skipped

                  accepted                   90    90.0 %
                  unregistered                4     4.0 %
                                              3    410 Unregistered
                                              1    410 ExpiredToken
                  failed                      2     2.0 %
                                              1    502
                                              1    503 ServiceUnavailable
                  unknown                     1     1.0 %
                                              1    connection lost
                  invalid                     2     2.0 %
                                              2    token is empty
                  skipped                     1     1.0 %
                                              1    token is a duplicate
                  rows read                 100

                  attempts      105, 42 a second
                  retries       8
                  connections   4
                  sent          1.5 MiB
                  latency       p50 40.0 ms  p90 40.0 ms  p99 40.0 ms  p99.9 40.0 ms  max 40.0 ms
                  report        fanfare-report.csv

                Tokens to delete: dead.csv
                Rows to send again: again.csv
                1 row ended unknown: it may have arrived, and would arrive twice.

                """)
    }

    @Test func `without the engine the table has the rows and the report`() {
        let table = SummaryTable(SummaryTests.summary()).render()
        #expect(
            table.hasSuffix(
                "  rows read                 100\n\n  report        fanfare-report.csv\n"))
        let nothing = SummaryTests.summary {
            $0.tally = Tally()
            $0.reportPath = nil
        }
        #expect(
            SummaryTable(nothing).render()
                == "Finished in 2.5 s\n\n  rows read                   0\n")
    }

    @Test func `a stopped job's table says why and how to carry on`() {
        let table = SummaryTable(
            SummaryTests.summary {
                $0.stop = JobStop(.refused, "403 InvalidProviderToken")
                $0.tally.rowsRead = 1_234_567
                $0.resumeCommand = "fanfare send rows.csv --resume"
            }
        ).render()
        #expect(
            table.hasPrefix(
                "Stopped after 2.5 s: 403 InvalidProviderToken\n90 of 1,234,567 accepted; "))
        #expect(table.contains("  not finished        1,234,467\n"))
        #expect(table.contains("To carry on:\n  fanfare send rows.csv --resume\n"))
        let piped = SummaryTests.summary {
            $0.stop = JobStop(.refused, "403 InvalidProviderToken")
            $0.resumeCommand = "fanfare send - --resume"
            $0.readsStandardInput = true
        }
        #expect(
            SummaryTable(piped).render().contains(
                "To carry on, with the same rows on standard input:\n  fanfare send - --resume\n"))
    }

    @Test func `a long reason of a stop is shown to its end`() {
        let table = SummaryTable(
            SummaryTests.summary {
                $0.stop = JobStop(
                    .refused,
                    "no connection to the provider: the server's certificate was not accepted: "
                        + "certificate has expired (check this machine's clock)")
            }
        ).render()
        #expect(
            table.hasPrefix(
                """
                Stopped after 2.5 s: no connection to the provider: the server's certificate was
                not accepted: certificate has expired (check this machine's clock)
                90 of 100 accepted;
                """))
    }

    @Test func `no line is longer than 80 columns, and none steers the terminal`() {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: 999_999_999)
        let table = SummaryTable(
            SummaryTests.summary {
                $0.stop = JobStop(
                    .refused, text: "\u{1B}[2J" + String(repeating: "refused ", count: 30))
                $0.latency = .init(histogram)
                TallySample.record(
                    &$0.tally, .rejected, 400, "\u{1B}[2J" + String(repeating: "long ", count: 40))
                $0.tally.rowsRead = .max
            }
        ).render()
        for line in table.split(separator: "\n") {
            #expect(line.count <= 80)
        }
        #expect(!table.contains("\u{1B}"))
        #expect(table.contains("400 ?[2Jlong long"))
    }

    @Test func `color changes the color only`() {
        let summary = SummaryTests.summary()
        var colored = SummaryTable(summary, usesColor: true).render()
        #expect(colored.contains("\u{1B}[32m"))
        for code in ["0", "1", "2", "31", "32", "33"] {
            colored = colored.split(separator: "\u{1B}[\(code)m", omittingEmptySubsequences: false)
                .joined()
        }
        #expect(colored == SummaryTable(summary).render())
    }

    @Test(
        arguments: [
            (UInt64(0), "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"),
            (.max, "18,446,744,073,709,551,615"),
        ])
    func `numbers have groups of three digits`(number: UInt64, text: String) {
        #expect(NumberText.grouped(number) == text)
    }

    @Test(
        arguments: [
            (UInt64(0), UInt64(3), "0.0 %"), (1, 3, "33.3 %"), (3, 3, "100.0 %"),
            (1, 1_000_000, "< 0.1 %"), (999_999, 1_000_000, "> 99.9 %"), (0, 0, ""),
        ])
    func `a share is never rounded to nothing or all`(part: UInt64, whole: UInt64, text: String) {
        #expect(NumberText.share(part, of: whole) == text)
    }

    @Test func `rows unaccounted for are told of a job that nothing has stopped`() {
        let advice = "This is a bug in fanfare, please report it: 101 rows were read, but 100 have"
        let finished = SummaryTests.summary {
            $0.exitStatus = .bug
            $0.tally.rowsRead = 101
        }
        #expect(SummaryTable(finished).render().contains(advice))
        // The reason for the stop explains why rows are left.
        let stopped = SummaryTests.summary {
            $0.exitStatus = .bug
            $0.tally.rowsRead = 101
            $0.stop = JobStop(.bug, "BUG: something else")
        }
        #expect(!SummaryTable(stopped).render().contains("please report it"))
        #expect(!SummaryTable(SummaryTests.summary()).render().contains("please report it"))
    }

    @Test(
        arguments: [
            (Int64(0), "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (59_949, "59.9 s"),
            (59_950, "1 min 00 s"), (192_400, "3 min 12 s"), (3_599_499, "59 min 59 s"),
            (3_599_500, "1 h 00 min"), (7_500_000, "2 h 05 min"), (-1, "0 ms"),
        ])
    func `a duration has two units`(milliseconds: Int64, text: String) {
        #expect(NumberText.duration(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (Int64(0), "0 µs"), (850_400, "850 µs"), (999_500, "1.0 ms"), (12_345_678, "12.3 ms"),
            (99_949_999, "99.9 ms"), (99_950_000, "100 ms"), (999_499_000, "999 ms"),
            (999_500_000, "1.0 s"), (30_000_000_000, "30.0 s"),
        ])
    func `a latency has about three digits`(nanoseconds: Int64, text: String) {
        #expect(NumberText.latency(nanoseconds: nanoseconds) == text)
    }

    @Test(
        arguments: [
            (UInt64(0), "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB"),
            (1_048_575, "1.0 MiB"), (5_368_709_120, "5.0 GiB"),
        ])
    func `bytes have binary units`(bytes: UInt64, text: String) {
        #expect(NumberText.byteCount(bytes) == text)
    }

    @Test func `rows that wait for their hours are told of beside the others`() {
        let text = SummaryTable(
            SummaryTests.summary {
                $0.stop = JobStop(.interrupted, "interrupted")
                $0.waiting = .init(rows: 5000, opensMilliseconds: 951_811_200_000)
                $0.hours = .init(text: "08:00-20:00 in UTC", opens: "2000-02-29 08:00")
            }
        ).render()
        #expect(text.replacing("\n", with: " ").contains("5,000 wait for their hours"))
        #expect(text.contains("5,000, the first until 2000-02-29T08:00:00.000Z"))
        #expect(
            text.contains("The hours are 08:00-20:00 in UTC; they open again 2000-02-29 08:00."))
        let json = SummaryTests.summary { $0.waiting = .init(rows: 7, opensMilliseconds: nil) }
            .json()
        #expect(json.contains("\"waiting\": {\n    \"rows\": 7,\n    \"until\": null\n  }"))
    }

    @Test func `a choice that no row fits is said`() {
        let table = SummaryTable(
            SummaryTests.summary {
                $0.tally = Tally()
                $0.leftOut = .init(
                    rows: 7, excluded: 2000, endsEarly: false, conditions: ["segment=none"],
                    sample: "1%")
            })
        #expect(
            table.verdict.replacing("\n", with: " ").hasSuffix(
                ", but no row was chosen: 2,000 excluded and 7 left out by segment=none, a sample of 1%"
            ),
            "\(table.verdict)")
    }

    @Test func `on one line the reason of a stop and the counts are apart`() {
        let table = SummaryTable(
            SummaryTests.summary { $0.stop = JobStop(.interrupted, "stopped on request") })
        #expect(table.verdict.contains(": stopped on request; "), "\(table.verdict)")
        #expect(table.render().contains("stopped on request\n"))
    }

    @Test func `rows that conditions exclude are none that wait`() {
        let text = SummaryTable(
            SummaryTests.summary {
                $0.leftOut = .init(
                    rows: 0, excluded: 1234, endsEarly: false, conditions: ["opt_in=yes"])
            }
        ).render()
        #expect(text.replacing("\n", with: " ").contains("; 1,234 excluded"))
        #expect(text.contains("  excluded                1,234\n"))
        #expect(!text.contains("left out"))
    }

    @Test func `what a limit leaves out is told of, counted or not`() {
        for (rows, endsEarly, words) in [
            (7, false, "; 7 left out"), (0, true, "; the rest left out"),
            (7, true, "; 7 and the rest left out"),
        ] as [(UInt64, Bool, String)] {
            let table = SummaryTable(
                SummaryTests.summary {
                    $0.leftOut = .init(rows: rows, endsEarly: endsEarly, limit: 93)
                })
            #expect(table.verdict.contains(words))
        }
    }
}
