import FanfareBase
import FanfareSimulator
import Foundation
import Testing

@Suite struct FCMConnectionTests {
    // MARK: Answers

    @Test func `a message is accepted and has a name`() throws {
        var client = try GoogleDialogue()
        let ending = try client.send()
        #expect(ending.status == 200)
        // The clock says 1,700,000,000,000 ms; the last three digits are made up.
        let name = try #require(
            ending.body.wholeMatch(
                of:
                    /\{"name":"projects\/demo-project\/messages\/0:1700000000000([0-9]{3})%([0-9a-f]{16})"\}/
            ))
        #expect(name.1.count == 3)
        // Nothing of APNs is in the answer.
        #expect(ending.id == "" && ending.retryAfter == "")
        #expect(try client.send().body != ending.body)
        var again = try GoogleDialogue()
        #expect(try again.send().body == ending.body)
        #expect(client.dialogue.core.counters.accepted == 2)
    }

    @Test func `answers have lines unless the query says otherwise`() throws {
        var client = try GoogleDialogue()
        let path = "/v1/projects/demo-project/messages:send"
        let body = try client.send(path: path).body
        #expect(body.hasPrefix("{\n  \"name\": \"projects/demo-project/messages/0:17"))
        #expect(body.hasSuffix("\"\n}\n"))
    }

    @Test func `a message that is only checked has the name of none`() throws {
        var client = try GoogleDialogue()
        let body = GoogleDialogue.message().dropLast() + #","validate_only":true}"#
        #expect(
            try client.send(String(body)).body
                == #"{"name":"projects/demo-project/messages/fake_message_id"}"#)
    }

    @Test func `a message to a topic has a number for a name`() throws {
        var client = try GoogleDialogue()
        let body = try client.send(#"{"message":{"topic":"news"}}"#).body
        let match = body.wholeMatch(
            of: /\{"name":"projects\/demo-project\/messages\/[0-9]+"\}/)
        #expect(match != nil, "\(body)")
    }

    @Test func `a request is looked at in one order`() throws {
        var client = try GoogleDialogue()
        let right = client.bearer
        func word(_ ending: SimulatedDialogue.Ending) -> String {
            for word in [
                "404 (Not Found)", "CREDENTIALS_MISSING", "ACCESS_TOKEN_EXPIRED", "NOT_FOUND",
                "Cannot bind", "Unexpected token", "Recipient",
            ] where ending.body.contains(word) { return "\(ending.status) \(word)" }
            return "\(ending.status)"
        }
        let other = "/v1/projects/other/messages:send?x=1&prettyPrint=false"
        client.bearer = nil
        #expect(try word(client.send("{", path: "/v1/projects/p")) == "404 404 (Not Found)")
        #expect(try word(client.send("{", path: other, method: "GET")) == "404 404 (Not Found)")
        #expect(try word(client.send("{", path: other)) == "401 CREDENTIALS_MISSING")
        client.bearer = right
        #expect(try word(client.send("{", path: other)) == "404 NOT_FOUND")
        #expect(
            try word(client.send("{", path: GoogleDialogue.path + "&x=1")) == "400 Cannot bind")
        #expect(try word(client.send("{", type: "text/plain")) == "400 Cannot bind")
        #expect(try word(client.send("{")) == "400 Unexpected token")
        #expect(try word(client.send("{}")) == "400 Recipient")
        #expect(client.dialogue.core.counters.refused == 8)
    }

    @Test func `a wrong project is not found, and no word says that a token is dead`() throws {
        var client = try GoogleDialogue()
        let ending = try client.send(
            path: "/v1/projects/demo-projekt/messages:send?prettyPrint=false")
        #expect(
            ending
                == .init(
                    status: 404,
                    body:
                        #"{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}}"#
                ))
    }

    // MARK: Credentials

    @Test func `an access token expires in the middle of requests`() throws {
        var client = try GoogleDialogue(lifeOfToken: 5) {
            $0.latency = .fixed(.milliseconds(10))
        }
        let early = try client.submit()
        client.dialogue.exchange()
        client.dialogue.unixMilliseconds += 4999
        let last = try client.submit()
        client.dialogue.exchange()
        client.dialogue.unixMilliseconds += 1
        let late = try client.submit()
        client.dialogue.exchange()
        client.dialogue.advance(by: .milliseconds(10))
        #expect(client.dialogue.endings[early]?.status == 200)
        #expect(client.dialogue.endings[last]?.status == 200)
        let refused = try #require(client.dialogue.endings[late])
        #expect(refused.status == 401 && refused.body.contains(#""ACCESS_TOKEN_EXPIRED""#))
    }

    @Test func `a token from the endpoint is good until it expires`() throws {
        var client = try GoogleDialogue { $0.fcm.tokenLife = .seconds(60) }
        let account = try client.dialogue.core.project.makeAccount()
        let fixture = try ServiceAccountFixture(account: account)
        let seconds = Int64(client.dialogue.unixMilliseconds / 1000)
        client.bearer = nil
        let claims = fixture.claims(at: seconds) { $0["aud"] = "https://localhost:8443/token" }
        let answer = try client.ask(try fixture.assertion(claims))
        #expect(answer.status == 200 && answer.id == "")
        let json = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
        let members = try #require(json as? [String: Any])
        #expect(members["expires_in"] as? Int == 60)
        #expect(members["token_type"] as? String == "Bearer")
        client.bearer = "Bearer " + (try #require(members["access_token"] as? String))
        #expect(try client.send().status == 200)
        client.dialogue.unixMilliseconds += 60_000
        #expect(try client.send().status == 401)
        // Messages are counted, and so are tokens, but not together.
        let counters = client.dialogue.core.counters
        #expect(counters.requests == 2 && counters.accepted == 1 && counters.refused == 1)
        #expect(counters.accessTokens == 1 && counters.unanswered == 0)
    }

    @Test func `the endpoint for tokens takes POST alone`() throws {
        var client = try GoogleDialogue()
        let ending = try client.send("", path: "/token", method: "GET")
        #expect(ending.status == 404 && ending.body.hasPrefix("<!DOCTYPE html>"))
        #expect(
            try client.ask("x").body
                == #"{"error":"invalid_request","error_description":"Bad Request"}"#)
        #expect(client.dialogue.core.counters.requests == 0)
        #expect(client.dialogue.core.counters.accessTokens == 0)
    }

    @Test func `anonymous clients may send for any project`() throws {
        var client = try GoogleDialogue { $0.acceptsAnonymous = true }
        let right = client.bearer
        let path = "/v1/projects/any/messages:send"
        client.bearer = nil
        #expect(try client.send(path: path).status == 200)
        client.bearer = "Bearer ya29.of-somebody-else"
        #expect(try client.send(path: path).status == 200)
        // A credential of the simulator's own says which project is meant.
        client.bearer = right
        #expect(try client.send(path: path).status == 404)
        #expect(try client.send().status == 200)
    }

    // MARK: Quota and streams

    @Test func `beyond the quota requests are told when to come again`() throws {
        var client = try GoogleDialogue { $0.fcm.quotaPerMinute = 2 }
        #expect(try client.send().status == 200)
        client.dialogue.now = client.dialogue.now.advanced(by: .milliseconds(20_500))
        // A request that is refused for its content uses the quota up, too.
        #expect(try client.send("{}").status == 400)
        let refused = try client.send()
        #expect(refused.status == 429)
        #expect(refused.retryAfter == "40")
        #expect(refused.body.contains(#""subject":"project:demo-project""#))
        #expect(refused.body.contains(#""quota_value":"2""#))
        client.dialogue.now = client.dialogue.now.advanced(by: .milliseconds(39_500))
        #expect(try client.send().status == 200)
    }

    @Test func `the first request to FCM sets the connection's streams for good`() throws {
        var client = try GoogleDialogue()
        #expect(client.dialogue.limits == [1])
        #expect(try client.send().status == 200)
        #expect(client.dialogue.limits == [1, 100])
        #expect(try client.send("{}").status == 400)
        #expect(try client.send().status == 200)
        #expect(client.dialogue.limits == [1, 100])
    }

    @Test func `FCM's streams are never more than the connection's`() throws {
        var client = try GoogleDialogue {
            $0.acceptsAnonymous = true
            $0.maxConcurrentStreams = 30
        }
        _ = try client.send()
        #expect(client.dialogue.limits == [30])
        var other = try GoogleDialogue {
            $0.acceptsAnonymous = true
            $0.fcm.maxConcurrentStreams = 7
        }
        _ = try other.send()
        #expect(other.dialogue.limits == [1000, 7])
    }

    // MARK: The log

    @Test func `a line of the log says whose request it was`() throws {
        var client = try GoogleDialogue(
            rules: #"{"when":{"tokenPrefix":"dead"},"then":{"status":410}}"#
        ) { $0.logsRequests = true }
        let dead = GoogleDialogue.message("dead")
        _ = try client.send(dead)
        _ = try client.ask("x")
        let lines = String(decoding: client.dialogue.core.log.lines.bytes, as: UTF8.self)
            .split(separator: "\n").map(String.init)
        let token = "dead" + FCMMessageTests.token.dropFirst(4)
        #expect(
            lines == [
                #"{"time":1700000000000,"connection":1,"stream":1,"provider":"fcm","path":"\#(GoogleDialogue.path)","token":"\#(token)","message_id":null,"status":404,"reason":"UNREGISTERED","payload_bytes":\#(dead.utf8.count)}"#,
                #"{"time":1700000000000,"connection":1,"stream":3,"provider":"oauth","path":"/token","token":null,"message_id":null,"status":400,"reason":"invalid_request","payload_bytes":\#(ServiceAccountFixture.form("x").utf8.count)}"#,
            ])
    }
}
