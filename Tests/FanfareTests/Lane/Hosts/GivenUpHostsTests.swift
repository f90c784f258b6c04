import FanfareBase
import Testing

@testable import Fanfare

@Suite struct GivenUpHostsTests {
    private func moment(_ seconds: Int64) -> Instant {
        Instant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `a host stays given up until its time is over`() {
        var hosts = GivenUpHosts(most: 4)
        hosts.add("https://a.example", HostFault(text: [1]), until: moment(10))
        #expect(hosts.fault(of: "https://a.example", now: moment(9))?.fault == HostFault(text: [1]))
        #expect(hosts.fault(of: "https://a.example", now: moment(10)) == nil)
        #expect(hosts.fault(of: "https://b.example", now: moment(0)) == nil)
        hosts.add("https://a.example", HostFault(text: [2], outcome: .throttled), until: moment(20))
        #expect(
            hosts.fault(of: "https://a.example", now: moment(15))?.fault
                == HostFault(text: [2], outcome: .throttled))
    }

    @Test func `with too many the oldest ones are forgotten`() {
        var hosts = GivenUpHosts(most: 4)
        for number in 0..<1000 {
            hosts.add("https://\(number).example", HostFault(), until: moment(10))
            #expect(hosts.count <= 4)
        }
        for number in 996..<1000 {
            #expect(hosts.fault(of: "https://\(number).example", now: moment(0)) != nil)
        }
        #expect(hosts.fault(of: "https://995.example", now: moment(0)) == nil)
    }

    @Test func `a host that makes room for others rests longer each time, until it does well`() {
        #expect(
            (0..<4).map(Limits.hostRest(timesGivenWay:)) == [5, 10, 20, 40].map { .seconds($0) })
        #expect(Limits.hostRest(timesGivenWay: .max) == .seconds(600))
        var hosts = GivenUpHosts(most: 4)
        let name = "https://a.example"
        #expect(hosts.timesGivenWay(name) == 0)
        hosts.add(name, HostFault(text: [1]), until: moment(5), timesGivenWay: 1)
        #expect(hosts.fault(of: name, now: moment(5)) == nil && hosts.timesGivenWay(name) == 1)
        hosts.hasDoneWell(name)
        hosts.hasDoneWell("https://b.example")
        #expect(hosts.timesGivenWay(name) == 0 && hosts.count == 1)
    }
}
