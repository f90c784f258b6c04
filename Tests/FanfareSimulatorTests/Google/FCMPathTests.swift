import FanfareSimulator
import Testing

@Suite struct FCMPathTests {
    @Test(arguments: [
        ("/v1/projects/p/messages:send", SimulatedService.fcm), ("/v1/projects/", .fcm),
        ("/v1/projects", .apns), ("/token", .oauth), ("/token?prettyPrint=false", .oauth),
        ("/tokens", .apns), ("/3/device/token", .apns), ("/", .apns), ("*", .apns), ("", .apns),
    ])
    func `a path tells the service`(path: String, service: SimulatedService) {
        var path = path
        #expect(path.withUTF8 { SimulatedService(path: $0) } == service)
    }

    @Test(arguments: [
        ("/v1/projects/demo-1/messages:send", "demo-1"),
        ("/v1/projects/123456789/messages:send?alt=json", "123456789"),
        ("/v1/projects//messages:send", ""), ("/v1/projects/a/b/messages:send", ""),
        ("/v1/projects/demo/messages:sendAll", ""), ("/v1/projects/demo/messages:send/", ""),
        ("/v1/projects/demo", ""), ("/v1/projects/", ""),
    ])
    func `a path that is served has a project`(path: String, project: String) {
        #expect(FCMPath(path).project == project)
    }

    @Test(arguments: [
        ("", true), ("?prettyPrint=true", true), ("?prettyPrint=false", false),
        ("?alt=json&prettyPrint=0", false), ("?pretty%50rint=false", false), ("?prettyPrint", true),
    ])
    func `answers are on many lines unless the query says otherwise`(query: String, isPretty: Bool)
    {
        #expect(FCMPath("/v1/projects/p/messages:send" + query).isPretty == isPretty)
    }

    @Test func `a parameter that no service has is named`() {
        let path = "/v1/projects/p/messages:send?$.xgafv=2&fields=name&prettyprint=false&x=y"
        #expect(FCMPath(path).unknownParameter == "prettyprint")
        #expect(FCMPath("/v1/projects/p/messages:send?fields=name").unknownParameter == nil)
    }
}
