import FanfareBase
import FanfareCore
import Testing

/// The choice of a row's provider among those of a job.
@Suite struct RouteFinderTests {
    private static let hex = String(repeating: "aB", count: 32)
    private static let subscription =
        #"{"endpoint":"https://push.example/x","keys":{"p256dh":"B","auth":"C"}}"#
    private static let others = "dGhpcyBpcyBub3QgaGV4:APA91b"

    private func answer(
        _ routes: [ProviderKind], word: String = "", token: String = others,
        words: [String: ProviderKind] = [:]
    ) -> RouteFinder.Answer {
        let finder = RouteFinder(routes, slot: nil, words: words)
        return withBytes(Array(word.utf8)) { word in
            withBytes(Array(token.utf8)) { finder.route(word: word, token: $0) }
        }
    }

    // MARK: Words

    @Test(
        arguments: [
            ("ios", ProviderKind.apns), ("apple", .apns), ("apns", .apns), ("android", .fcm),
            ("fcm", .fcm), ("gcm", .fcm), ("firebase", .fcm), ("web", .webpush),
            ("webpush", .webpush), ("browser", .webpush), ("iphone", .apns), ("ipad", .apns),
            ("ipados", .apns), ("ipod", .apns), ("iOS 17.1", .apns), ("Android 13", .fcm),
            ("iPod touch", .apns),
        ])
    func `a word names its provider, in any letters and with blanks around it`(
        word: String, provider: ProviderKind
    ) {
        let capital = word.prefix(1).uppercased() + word.dropFirst()
        for text in [word, word.uppercased(), capital, " \t\(word)  ", "\(word)\r\n"] {
            for token in [Self.hex, Self.subscription, Self.others, ""] {
                #expect(
                    answer([.webpush, .fcm, .apns], word: text, token: token)
                        == .route([.webpush, .fcm, .apns].firstIndex(of: provider) ?? -1))
            }
        }
    }

    @Test(arguments: [
        "blackberry", "iosx", "io", "i os", "ios,android", "5", "true", "@pns", "Äpple",
        "ios17", "web hosting", "new ios",
    ])
    func `another word names none`(word: String) {
        #expect(answer([.apns, .fcm], word: word, token: Self.hex) == .unknownWord)
    }

    @Test func `a word may name a provider that the job does not send to`() {
        #expect(answer([.apns, .fcm], word: "Web", token: Self.hex) == .notInJob(.webpush))
        #expect(answer([.fcm, .webpush], word: "ios") == .notInJob(.apns))
    }

    @Test func `words of the job come first, and are like all others`() {
        let words = ["Huawei": ProviderKind.fcm, " WEB ": .apns, "телефон": .webpush, "": .fcm]
        let routes: [ProviderKind] = [.apns, .fcm, .webpush]
        #expect(answer(routes, word: "HUAWEI ", words: words) == .route(1))
        #expect(answer(routes, word: "web", words: words) == .route(0))
        #expect(answer(routes, word: "телефон", words: words) == .route(2))
        #expect(answer(routes, word: "browser", words: words) == .route(2))
        // No word is a word, also if the job says otherwise.
        #expect(answer(routes, word: " ", token: Self.hex, words: words) == .route(0))
    }

    @Test func `hostile words are unknown`() {
        let long = String(repeating: "ios", count: 350_000)
        #expect(answer([.apns, .fcm], word: long) == .unknownWord)
        #expect(answer([.apns, .fcm], word: "ios\0") == .unknownWord)
        #expect(answer([.apns, .fcm], word: "\0") == .unknownWord)
        let finder = RouteFinder([.apns, .fcm], slot: nil)
        for bytes in [[0xFF, 0xFE], [0x69, 0x6F, 0x73, 0x80], [0xC0, 0x80]] as [[UInt8]] {
            let answer = withBytes(bytes) {
                finder.route(word: $0, token: .init(start: nil, count: 0))
            }
            #expect(answer == .unknownWord)
        }
    }

    @Test
    func `in a column that nobody named a token without doubt counts more than an unknown word`() {
        let finder = RouteFinder(
            [.apns, .fcm], slot: batch("", "").slotCount - 1, isColumnGuessed: true)
        var words = RouteWords()
        let rows: [(String, String, RouteFinder.Answer)] = [
            (Self.hex, "premium", .route(0)), (Self.others, "premium", .route(1)),
            ("anything", "basic", .unknownWord), (Self.subscription, "basic", .unknownWord),
            (Self.hex, " Basic\t", .route(0)), (Self.hex, "Android 13", .route(1)),
            (Self.hex, "web", .notInJob(.webpush)), (Self.hex, " ", .route(0)),
        ]
        for (token, word, answer) in rows {
            let batch = batch(token, word)
            #expect(finder.route(of: batch, 0) == answer)
            #expect(finder.route(of: batch, 0, noting: &words) == answer)
        }
        #expect(
            words.decided.words == [
                .init(text: "premium", count: 2), .init(text: "Basic", count: 1, route: 0),
            ])
        #expect(words.turnedAway.words == [.init(text: "basic", count: 2)])
    }

    @Test func `unknown words are counted in little memory`() {
        var (words, other) = (UnknownWords(), UnknownWords())
        for number in 0..<100 {
            for word in ["w\(number)", "many"] {
                withBytes(Array(word.utf8)) { words.count($0) }
                withBytes(Array(word.utf8)) { other.count($0) }
            }
        }
        words.merge(other)
        #expect(words.rowCount == 400 && words.words.count == 16)
        #expect(words.words[0] == .init(text: "many", count: 200) && words.moreCount == 170)
    }

    // MARK: Shapes

    @Test(
        arguments: [
            (hex, ProviderKind.apns), (String(repeating: "0f", count: 100), .apns),
            (" \(hex)\n", .apns),
            (String(hex.dropLast()), .fcm), (String(hex.dropLast(2)), .fcm), (hex + "a", .fcm),
            (hex.dropLast() + "g", .fcm), (others, .fcm), ("", .fcm), ("{", .fcm), ("{}", .fcm),
            (subscription, .webpush), (" {\n \"keys\" : {}, \"endpoint\" :\t\"x\"}", .webpush),
            (#"{"a":[{"b":"}\"{"}],"endpoint":1"#, .webpush),
            (#"{"a":{"endpoint":"x"}}"#, .fcm), (#"{"a":["endpoint"]}"#, .fcm),
            (#"{"a":"endpoint"}"#, .fcm), (#"{"endpoints":"x"}"#, .fcm),
            (#"["endpoint":"x"]"#, .fcm), (#"{"endpoint"#, .fcm), (#"{"endpoint""#, .fcm),
            (#"{"a\"#, .fcm), (#"{"\"endpoint":1}"#, .fcm),
            ("https://push.example/x", .webpush), ("HTTPS://push.example", .webpush),
            ("https://", .fcm), ("http://push.example", .fcm), ("https:\u{0F}/push.example", .fcm),
        ])
    func `a token looks like one provider's`(token: String, provider: ProviderKind) {
        let found = withBytes(Array(token.utf8)) { TokenShape.provider(ofToken: $0) }
        #expect(found == provider)
        let routes: [ProviderKind] = [.fcm, .webpush, .apns]
        for word in ["", " \t "] {
            #expect(
                answer(routes, word: word, token: token)
                    == .route(routes.firstIndex(of: provider) ?? -1))
        }
    }

    @Test func `hostile tokens have a shape, too`() {
        let nested = String(repeating: "{", count: 1_000_000) + #""endpoint":1"#
        let quotes = String(repeating: #"{"\"#, count: 300_000)
        for token in [nested, quotes, Self.hex + "\0", "\0"] {
            let found = withBytes(Array(token.utf8)) { TokenShape.provider(ofToken: $0) }
            #expect(found == .fcm)
        }
        let found = withBytes([0x7B, 0xFF, 0x22]) { TokenShape.provider(ofToken: $0) }
        #expect(found == .fcm)
    }

    @Test func `a shape may be that of no route`() {
        #expect(answer([.apns, .fcm], token: Self.subscription) == .notInJob(.webpush))
        #expect(answer([.fcm, .webpush], token: Self.hex) == .notInJob(.apns))
        // Nothing says that a token is one of FCM but that it is no other one.
        #expect(answer([.apns, .webpush]) == .unknownShape)
        #expect(answer([.apns, .webpush], word: "android") == .notInJob(.fcm))
        // That there is no token at all is for a route to say.
        for token in ["", "  "] { #expect(answer([.webpush, .apns], token: token) == .route(0)) }
    }

    // MARK: Rows

    @Test func `the only route takes all rows`() {
        for route in ProviderKind.allCases {
            for word in ["", "ios", "blackberry"] {
                for token in ["", Self.hex, Self.subscription, Self.others] {
                    #expect(answer([route], word: word, token: token) == .route(0))
                }
            }
        }
    }

    @Test func `of two routes with one provider the first has its rows`() {
        #expect(answer([.apns, .fcm, .fcm], word: "fcm") == .route(1))
    }

    /// A batch with one row: a token and a word.
    private func batch(_ token: String, _ word: String?) -> RowBatch {
        let batch = RowBatch(
            inputCapacity: 8192, rowCapacity: 1, slotCount: RowSchema(extra: ["provider"]).slotCount
        )
        for (slot, text) in [(0, token), (batch.slotCount - 1, word)] {
            guard let text else { continue }
            let start = batch.inputEnd
            for byte in text.utf8 {
                batch.bytes[batch.inputEnd] = byte
                batch.inputEnd += 1
            }
            batch.fields[slot] = Field(.text, start: start, length: batch.inputEnd - start)
        }
        batch.rowCount = 1
        return batch
    }

    @Test func `a row has its word in a column, if there is one`() {
        let slot = RowSchema(extra: ["provider"]).slotCount - 1
        let finder = RouteFinder([.apns, .fcm], slot: slot)
        #expect(finder.route(of: batch(Self.hex, "android"), 0) == .route(1))
        #expect(finder.route(of: batch(Self.hex, ""), 0) == .route(0))
        #expect(finder.route(of: batch(Self.hex, nil), 0) == .route(0))
        #expect(finder.route(of: batch(Self.hex, "no"), 0) == .unknownWord)
        #expect(
            RouteFinder([.apns, .fcm], slot: nil).route(of: batch(Self.hex, "no"), 0) == .route(0))
    }

    @Test func `the report has the word, cut off and without control characters`() {
        let slot = RowSchema(extra: ["provider"]).slotCount - 1
        func shown(_ token: String, _ word: String?, slot: Int?) -> String {
            appended { RouteFinder.appendProvider(of: batch(token, word), 0, slot: slot, to: &$0) }
        }
        #expect(shown(Self.hex, " Black Berry ", slot: slot) == "Black Berry")
        #expect(shown(Self.hex, "a\u{1B}[2Jb\0", slot: slot) == "a\u{FFFD}[2Jb\u{FFFD}")
        let long = String(repeating: "ä", count: 1000)
        #expect(shown(Self.hex, long, slot: slot) == String(repeating: "ä", count: 32) + "…")
        #expect(shown(Self.hex, nil, slot: slot) == "apns")
        #expect(shown(Self.subscription, "x", slot: nil) == "webpush")
    }

    @Test func `an answer without a route is a verdict`() {
        #expect(RouteFinder.Answer.route(3).verdict == nil)
        #expect(RouteFinder.Answer.unknownWord.verdict == .providerUnknown)
        #expect(RouteFinder.Answer.notInJob(.fcm).verdict == .providerNotInJob)
        #expect(RouteFinder.Answer.unknownShape.verdict == .tokenOfNoProvider)
    }
}
