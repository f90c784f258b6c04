import Fanfare
import FanfareSimulator
import Foundation
import Testing

/// The simulator as programs see it; its answers are in the tests of its own target.
@Suite struct SimulatorTests {
    @Test func `a service account is for this simulator and its project`() throws {
        var fcm = Simulator.FCMBehavior()
        fcm.projectID = "demo"
        let simulator = try Simulator(usesTLS: false, fcm: fcm)
        let text = try simulator.serviceAccount()
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        #expect(json?["project_id"] == "demo")
        #expect(json?["token_uri"] == "http://127.0.0.1:\(simulator.endpoint.port)/token")
        #expect(try simulator.serviceAccount() == text)
        let requests = simulator.stop()
        #expect(requests.total == 0 && requests.accepted == 0 && requests.accessTokens == 0)
    }

    @Test func `the defaults are those of the service`() {
        let fcm = Simulator.FCMBehavior()
        #expect(fcm.projectID == "fanfare-simulator")
        #expect(fcm.accessTokenLife == .seconds(3599) && fcm.promisedAccessTokenLife == nil)
        #expect(fcm.quotaPerMinute == nil && fcm.streamsPerConnection == 100)
    }

    @Test func `a value that cannot be is an error of configuration`() {
        var fcm = Simulator.FCMBehavior()
        fcm.quotaPerMinute = 0
        let error = #expect(throws: FanfareError.self) { try Simulator(usesTLS: false, fcm: fcm) }
        #expect(error?.code == .configuration)
    }
}
