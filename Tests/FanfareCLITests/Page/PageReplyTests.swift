import FanfareCLI
import FanfareFigures
import FanfareTLS
import Foundation
import Testing

/// The replies of the server of a job's page.
@Suite struct PageReplyTests {
    /// The fields of an answer's head by their names, and what follows it.
    private static func parts(_ reply: PageReply) throws -> (fields: [String: String], body: String)
    {
        let text = String(decoding: reply.bytes, as: UTF8.self)
        let end = try #require(text.firstRange(of: "\r\n\r\n"))
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        #expect(lines.first?.hasPrefix("HTTP/1.1 \(reply.status) ") == true)
        let fields = try lines.dropFirst().map { line in
            let colon = try #require(line.firstRange(of: ": "))
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
        }
        return (
            Dictionary(fields, uniquingKeysWith: { _, _ in "twice" }),
            String(text[end.upperBound...])
        )
    }

    private static func page(isHead: Bool = false) -> PageReply {
        var page = LivePage(title: "Job", lead: "x")
        page.canSteer = true
        return PageReply.page(
            page.render(), script: LivePage.script, style: LivePage.style, isHead: isHead)
    }

    private static let all: [PageReply] = [
        page(), .final(Array("<p>x</p>".utf8), isHead: false), .stream, .answer(ControlAnswer("x")),
        .answer(ControlAnswer("x", isError: true)), .refusal(.tooManyViewers), .refusal(.malformed),
        .refusal(.tooLong), .refusal(.tooEarly), .refusal(.tooLate),
    ]

    @Test func `no answer may be kept, framed, guessed at or read by others`() throws {
        for reply in Self.all {
            let (fields, body) = try Self.parts(reply)
            #expect(fields["Cache-Control"] == "no-store")
            #expect(fields["X-Content-Type-Options"] == "nosniff")
            #expect(fields["Referrer-Policy"] == "same-origin")
            #expect(fields["Cross-Origin-Resource-Policy"] == "same-origin")
            #expect(fields["Connection"] == "close")
            let policy = try #require(fields["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(policy.hasSuffix("frame-ancestors 'none'"))
            for name in fields.keys {
                #expect(!name.hasPrefix("Access-Control") && name != "Set-Cookie", "\(name)")
            }
            if reply != .stream { #expect(fields["Content-Length"] == "\(body.utf8.count)") }
        }
        #expect(
            Self.all.map(\.status) == [200, 200, 200, 200, 409, 503, 400, 431, 404, 409])
    }

    /// The digest of the text between the tags of an element of the page.
    private static func digest(of name: String, in body: String) throws -> String {
        let begin = try #require(body.firstRange(of: "<\(name)>")).upperBound
        let end = try #require(body[begin...].firstRange(of: "</\(name)>")).lowerBound
        let digest = SHA256.digest(of: Array(body[begin..<end].utf8))
        return "'sha256-\(Data(digest).base64EncodedString())'"
    }

    @Test func `the page may run its one script, and talk to its server`() throws {
        let (fields, body) = try Self.parts(Self.page())
        #expect(fields["Content-Type"] == "text/html; charset=utf-8")
        let script = try Self.digest(of: "script", in: body)
        let style = try Self.digest(of: "style", in: body)
        #expect(
            fields["Content-Security-Policy"]
                == "default-src 'none'; script-src \(script); style-src \(style); img-src data:; "
                + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    }

    @Test func `a head is that of the whole answer, without it`() throws {
        let (whole, head) = (try Self.parts(Self.page()), try Self.parts(Self.page(isHead: true)))
        #expect(head.fields == whole.fields && head.body.isEmpty && !whole.body.isEmpty)
    }

    @Test func `a stream has no length, and is one of messages`() throws {
        let (fields, body) = try Self.parts(.stream)
        #expect(fields["Content-Type"] == "text/event-stream")
        #expect(fields["Content-Length"] == nil && body.isEmpty)
    }
}
