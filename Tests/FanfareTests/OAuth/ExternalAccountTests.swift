import FanfareBase
import FanfareTLS
import Testing

@testable import Fanfare

@Suite struct ExternalAccountTests {
    private let audience =
        "audience=%2F%2Fiam.googleapis.com%2Fprojects%2F1%2Flocations%2Fglobal%2F"
        + "workloadIdentityPools%2Fp%2Fproviders%2Fq"

    /// The form is that of google-auth 2.62.2 for the same values.
    @Test func `the token is exchanged for one that may act as an account`() throws {
        let account = try KeyFiles.external(KeyFiles.externalAccount())
        #expect(account.tokenFile == "/var/run/token")
        let request = account.exchangeRequest(Secret("a.b-c_d~e+f/g=="))
        #expect(request.question == .exchange && request.method == "POST")
        #expect(request.endpoint == Endpoint(host: "sts.googleapis.com", port: 443))
        #expect(request.path == "/v1/token")
        #expect(request.lines == ["content-type: application/x-www-form-urlencoded"])
        #expect(
            request.body?.told
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&\(audience)"
                + "&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fiam"
                + "&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
                + "&subject_token=a.b-c_d~e%2Bf%2Fg%3D%3D"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt")
    }

    @Test func `then the account's token is asked for with it`() throws {
        let account = try KeyFiles.external(KeyFiles.externalAccount())
        let exchanged = try #require(AccessToken(Secret("exchanged"), life: nil))
        let request = try #require(account.impersonationRequest(exchanged))
        #expect(request.question == .impersonation && request.method == "POST")
        #expect(request.endpoint == Endpoint(host: "iamcredentials.googleapis.com", port: 443))
        #expect(
            request.path
                == "/v1/projects/-/serviceAccounts/push@example.iam.gserviceaccount.com:generateAccessToken"
        )
        #expect(
            request.lines == ["content-type: application/json", "authorization: Bearer exchanged"])
        #expect(
            request.body?.told == #"{"delegates":null,"#
                + #""scope":["https://www.googleapis.com/auth/firebase.messaging"],"lifetime":"3600s"}"#
        )
        #expect(!"\(request)".contains("exchanged"))
    }

    @Test func `without an account the exchanged token is FCM's`() throws {
        let account = try KeyFiles.external(KeyFiles.externalAccount(impersonates: false))
        let form = account.exchangeRequest(Secret("t")).body?.told
        #expect(
            form?.contains("&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Ffirebase.messaging&")
                == true)
        let exchanged = try #require(AccessToken(Secret("exchanged"), life: nil))
        #expect(account.impersonationRequest(exchanged) == nil)
    }

    @Test(arguments: [("600", "600s"), ("\"43200\"", "43200s"), ("3600", "3600s")])
    func `the life of the account's token is that of the file`(
        seconds: String, expected: String
    ) throws {
        let more =
            #""service_account_impersonation":{"token_lifetime_seconds":\#(seconds)},"#
        let account = try KeyFiles.external(KeyFiles.externalAccount(more: more))
        let exchanged = try #require(AccessToken(Secret("t"), life: nil))
        let body = account.impersonationRequest(exchanged)?.body?.told
        #expect(body?.hasSuffix(#""lifetime":"\#(expected)"}"#) == true)
    }

    /// Sources and other members, and what the message has in it.
    @Test(arguments: [
        (#"{"url":"http://127.0.0.1/"}"#, "", "takes its token from a URL, which"),
        (#"{"environment_id":"aws1"}"#, "", "takes its token from AWS"),
        (#"{"executable":{"command":"c"}}"#, "", "takes its token from a program"),
        (#"{"certificate":{}}"#, "", "takes its token from a certificate"),
        ("{}", "", "has no 'credential_source.file'; make it again with 'gcloud iam"),
        (#"{"file":""}"#, "", "has no 'credential_source.file'"),
        (#"{"file":"f","format":{"type":"xml"}}"#, "", "the format of the token's file is 'xml'"),
        (
            #"{"file":"f","format":{"type":"json"}}"#, "",
            "has no 'credential_source.format.subject_token_field_name'"
        ),
        (#"{"file":"f"}"#, #""client_id":"c","client_secret":"s","#, "is for people"),
        (#"{"file":"f"}"#, #""workforce_pool_user_project":"p","#, "is for people"),
        (#"{"file":"f"}"#, #""universe_domain":"other.goog","#, "is for the cloud other.goog"),
        (
            #"{"file":"f"}"#, #""service_account_impersonation":{"token_lifetime_seconds":599},"#,
            "has to be a number from 600 to 43200"
        ),
    ])
    func `what is not supported is named`(source: String, more: String, part: String) {
        let error = fanfareError {
            _ = try KeyFiles.read(KeyFiles.externalAccount(source: source, more: more))
        }
        let message = error?.message ?? ""
        #expect(error?.code == .configuration && message.contains(part), "\(message)")
        #expect(message.hasPrefix("key.json"))
    }

    @Test func `the token is shown to Google's hosts only`() {
        let error = fanfareError {
            _ = try KeyFiles.read(
                KeyFiles.externalAccount(tokenURL: "https://sts.evil.example/v1/token"))
        }
        #expect(error?.message.contains("'token_url' names sts.evil.example") == true)
        let text = KeyFiles.externalAccount().replacing(
            "iamcredentials.googleapis.com", with: "iam.evil.example")
        #expect(
            fanfareError { _ = try KeyFiles.read(text) }?.message.contains(
                "'service_account_impersonation_url' names iam.evil.example") == true)
    }

    @Test func `a file of JSON has the token in the member that is named`() throws {
        let source = #"{"file":"f","format":{"type":"json","subject_token_field_name":"id.token"}}"#
        let account = try KeyFiles.external(KeyFiles.externalAccount(source: source))
        #expect(try account.subjectToken(Secret(#"{"id.token":"a.b\u002fc"}"#)).told == "a.b/c")
        for text in ["", "{}", "a.b", #"{"id.token":""}"#, #"{"id.token":7}"#, #"["id.token"]"#] {
            #expect(
                fanfareError { _ = try account.subjectToken(Secret(text)) }?.message
                    == "f is no JSON with a text 'id.token', which the token should be")
        }
    }

    @Test func `a file of text has the token and nothing else`() throws {
        let account = try KeyFiles.external(KeyFiles.externalAccount())
        #expect(try account.subjectToken(Secret(" a.b.c\r\n")).told == "a.b.c")
        #expect(
            fanfareError { _ = try account.subjectToken(Secret("a\nb")) }?.message
                == "/var/run/token has several lines; it should have the token and nothing else")
    }
}
