import FanfareCore
import Testing

@Suite struct LoadConditionTests {
    @Test(
        arguments: [
            ("p99>250ms", .p99, .more, .time(250_000_000), "p99>250ms"),
            ("p50 >= 1.5 ms", .p50, .atLeast, .time(1_500_000), "p50>=1.5ms"),
            (" p99.9 < 2s ", .p999, .less, .time(2_000_000_000), "p99.9<2s"),
            ("p99.99<=1m", .p9999, .atMost, .time(60_000_000_000), "p99.99<=1m"),
            ("max:1us", .max, .more, .time(1000), "max>1us"),
            ("errors>1%", .errors, .more, .share(10_000), "errors>1%"),
            ("errors >= 0.0001 %", .errors, .atLeast, .share(1), "errors>=0.0001%"),
            ("errors>0", .errors, .more, .count(0), "errors>0"),
            ("errors:100", .errors, .more, .count(100), "errors>100"),
            ("rate<95%", .rate, .less, .share(950_000), "rate<95%"),
            ("rate<5000", .rate, .less, .rate(5000), "rate<5000"),
            ("rate<=90k/m", .rate, .atMost, .rate(1500), "rate<=90k/m"),
            ("rate<1.5/s", .rate, .less, .rate(1.5), "rate<1.5/s"),
            ("rate>0", .rate, .more, .rate(0), "rate>0"),
            ("regression>10%", .regression, .more, .share(100_000), "regression>10%"),
        ]
            as [(
                String, LoadCondition.Figure, LoadCondition.Sign, LoadCondition.Amount, String
            )])
    func `a condition is a figure, a sign and an amount of its kind`(
        text: String, figure: LoadCondition.Figure, sign: LoadCondition.Sign,
        amount: LoadCondition.Amount, canonical: String
    ) throws {
        let condition = try LoadCondition(text)
        #expect(condition.figure == figure && condition.sign == sign)
        #expect(condition.amount == amount)
        #expect(condition.description == canonical)
        #expect(try LoadCondition(canonical) == condition)
    }

    @Test(arguments: [
        ("", "is not of the form FIGURE>VALUE"), ("p99", "is not of the form"),
        ("p99=250ms", "is not of the form"), ("p99==250ms", "is not of the form"),
        ("p99>=>1s", "is not of the form"), ("p99>1s>2s", "is not of the form"),
        ("p99:=1s", "is not of the form"), ("p99=>1s", "has no figure before its >"),
        ("p95>1s", "has no figure before its >; there are p50, p90, p99, p99.9, p99.99, max, "),
        (">1s", "has no figure"), ("P99>=1s", "has no figure before its >="),
        ("p99>", "has no duration behind its >"), ("p99>fast", "has no duration"),
        ("p99<=5%", "has a duration behind its <= whose unit"),
        ("p99>250", "has a duration without a unit"), ("p99>-1s", "has no duration"),
        ("p99>1.5ns", "has no whole number of nanoseconds"), ("p99>5y", "has a duration behind"),
        ("p99<0s", "can never hold: nothing is below zero"),
        ("errors>1.5", "has no share in % or number of requests behind its >"),
        ("errors>5ms", "has no share in %"), ("errors>1k", "has no share in %"),
        ("errors>x%", "has no share behind"), ("errors>1.00001%", "has more than four digits"),
        ("errors>101%", "has a share of more than 100%"),
        ("errors>100%", "can never hold: the whole is 100%"),
        ("errors<0%", "can never hold: nothing"), ("errors<0", "can never hold: nothing"),
        ("rate<5ms", "has no answers a second or share in %"), ("rate<", "has no answers"),
        ("rate<-5", "has no answers"), ("rate<5/", "has no answers"),
        ("rate<0", "can never hold: nothing"), ("rate<0%", "can never hold: nothing"),
        ("regression>5", "has no share in %"), ("regression<5%", "has a regression without a >"),
        ("regression>=5%", "has a regression without a >"),
    ])
    func `what is no condition is refused`(text: String, problem: String) {
        do throws(LoadCondition.Fault) {
            _ = try LoadCondition(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.problem.hasPrefix(problem), "\(text): \(error.problem)")
        }
    }

    @Test func `a fault names what was probably meant`() {
        func fault(_ text: String) -> LoadCondition.Fault? {
            do throws(LoadCondition.Fault) {
                _ = try LoadCondition(text)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault("p99.9>=250")?.example == "p99.9>=250ms")
        #expect(fault("eror>1%")?.unknownFigure == "eror")
        #expect(fault("rate<5ms")?.example == "rate<5000")
    }

    @Test func `a condition on regression says how much worse is allowed`() throws {
        #expect(try LoadCondition("regression>10%").regressionMax == 0.1)
        #expect(try LoadCondition("errors>10%").regressionMax == nil)
        #expect(try LoadCondition("rate<95%").isShareOfRate)
        #expect(try !LoadCondition("rate<95").isShareOfRate)
        #expect(try !LoadCondition("errors>95%").isShareOfRate)
    }
}
