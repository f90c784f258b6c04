import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct GoogleCredentialTests {
    /// Files that people give in place of a key, and what they are told that it is.
    @Test(arguments: [
        (#"{"type":"authorized_user","client_id":"c","refresh_token":"r"}"#, "is a person's login"),
        (#"{"type":"external_account_authorized_user"}"#, "is a person's login"),
        (
            #"{"type":"impersonated_service_account","source_credentials":{}}"#,
            "is a person's login that acts as a service account"
        ),
        (#"{"type":"gdch_service_account"}"#, "of the type 'gdch_service_account'"),
        (#"{"project_info":{"project_id":"p"},"client":[]}"#, "is google-services.json"),
        (#"{"installed":{"client_id":"c","client_secret":"s"}}"#, "is the client of an OAuth"),
        (#"{"web":{"client_id":"c","client_secret":"s"}}"#, "is the client of an OAuth"),
        (#"{"apiKey":"AIza","projectId":"p"}"#, "is the configuration of a web app"),
        (#"{"api_key":"AIza"}"#, "is an API key"), (#"{"keyString":"AIza"}"#, "is an API key"),
        (#"{"private_key":"x","client_email":"e"}"#, "has a key, but no 'type'"),
        (#"{"access_token":"ya29","expires_in":3599}"#, "is an access token"),
        ("{}", "is JSON, but no credential of Google's"),
        (#"{"type":7}"#, "is JSON, but no credential of Google's"),
        ("[]", "is not JSON, or it is cut off"),
        (#"{"type":"service_ac"#, "is not JSON, or it is cut off"),
        (
            "{\"private_key\":\"-----BEGIN PRIVATE KEY-----\nAA",
            "is not JSON: its 'private_key' has line ends"
        ),
        (
            "{\"private_key\":\"-----BEGIN PRIVATE KEY-----\r\nAA",
            "is not JSON: its 'private_key' has line ends"
        ),
        ("", "is empty"), ("AIzaSyA-1234567890", "is an API key"),
        ("AAAAabc:APA91bXYZ", "is a server key of the old FCM"), ("ya29.abc", "is an access token"),
        (RFC7515.rsaKey, "is a key or a certificate alone"),
        ("<?xml version=\"1.0\"?><plist/>", "is GoogleService-Info.plist"),
    ])
    func `another file is called what it is`(text: String, what: String) {
        let error = fanfareError { _ = try KeyFiles.read(text) }
        let message = error?.message ?? ""
        #expect(error?.code == .configuration)
        #expect(message.hasPrefix("key.json ") && message.contains(what), "\(message)")
        #expect(message.contains("Project settings, Service accounts, Generate new private key"))
    }

    @Test func `a key in P12 is called so`() {
        var bytes: [UInt8] = [0x30, 0x82, 0x09, 0x60, 0x02, 0x01, 0x03]
        let error = fanfareError {
            _ = try GoogleCredential.read(
                Secret(wiping: &bytes), file: "key.p12", hints: KeyFiles.hints)
        }
        #expect(error?.message.hasPrefix("key.p12 is a key in the old form P12; ") == true)
    }

    @Test(arguments: ["authorized_user", "impersonated_service_account"])
    func `a person's login says how a token is had instead`(type: String) {
        let message = fanfareError { _ = try KeyFiles.read(#"{"type":"\#(type)"}"#) }?.message
        #expect(message?.contains("'gcloud auth print-access-token'") == true)
        #expect(message?.hasSuffix("give TOKEN-FILE-SETTING") == true)
    }

    @Test func `no message repeats what is secret in a file`() {
        for text in [
            KeyFiles.serviceAccount(without: ["client_email"]),
            KeyFiles.serviceAccount(["token_uri": "https://evil.example/"]),
            #"{"type":"authorized_user","refresh_token":"1//hidden"}"#,
            "ya29.hidden", "AIzahidden", RFC7515.rsaKey,
        ] {
            let message = fanfareError { _ = try KeyFiles.read(text) }?.message ?? "hidden"
            #expect(!message.contains("hidden") && !message.contains("MII"), "\(message)")
        }
    }

    @Test func `what is said of the account is its name`() throws {
        let name = "push@example.iam.gserviceaccount.com"
        #expect(try KeyFiles.read(KeyFiles.serviceAccount()).name == name)
        #expect(try KeyFiles.read(KeyFiles.externalAccount()).name == name)
        #expect(
            try KeyFiles.read(KeyFiles.externalAccount(impersonates: false)).name
                == "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q"
        )
    }

    @Test func `the project is the given one, else the file's, else it is asked for`() throws {
        func chosen(
            _ given: String?, _ found: String?, by credential: String? = "key.json"
        ) throws -> String {
            try GoogleProject.chosen(
                given: given, found: found, credential: credential, hints: KeyFiles.hints)
        }
        #expect(try chosen("mine", "theirs") == "mine")
        #expect(try chosen(nil, "theirs") == "theirs")
        #expect(
            fanfareError { _ = try chosen(nil, nil) }?.message
                == "key.json does not say which project it is for; name it with PROJECT-SETTING")
        // A server on the loopback may want no credential.
        #expect(
            fanfareError { _ = try chosen(nil, nil, by: nil) }?.message
                == "without a credential nothing says which project the messages are of; name it "
                + "with PROJECT-SETTING")
        #expect(
            fanfareError { _ = try chosen("a/b", "theirs") }?.message.hasPrefix(
                "'a/b' is no project's id; ") == true)
    }

    @Test(arguments: [
        ("example-1", true), ("123456789", true), ("example.com:project", true), ("", false),
        ("a/b", false), ("a b", false), ("a?b", false), ("../x", false), ("a%2f", false),
        ("é", false), (String(repeating: "a", count: 101), false),
    ])
    func `an id of a project can stand in a path`(text: String, isValid: Bool) {
        #expect(GoogleProject.isValid(text) == isValid)
    }
}
