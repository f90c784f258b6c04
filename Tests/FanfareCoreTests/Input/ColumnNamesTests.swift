import Testing

@testable import FanfareCore

@Suite struct ColumnNamesTests {
    private func found(
        _ columns: [String], extra: [String] = [], mapping: [String: String] = [:]
    ) throws -> [String: String] {
        try ColumnNames.found(in: columns, for: RowSchema(extra: extra, mapping: mapping))
    }

    @Test(arguments: [
        "Token", "TOKEN", "device_token", "deviceToken", "Device Token", "push_token", "apns_token",
        "apns-token", "registration_id", "device-token", "fcm_token", "FCM Token", "expoPushToken",
    ])
    func `a token is found under its usual names`(name: String) throws {
        #expect(try found(["user", name]) == ["token": name])
    }

    @Test(arguments: [
        ("topic", "apns-topic"), ("topic", "bundle_id"), ("topic", "bundleId"),
        ("priority", "apns-priority"), ("push_type", "apns-push-type"), ("push_type", "pushType"),
        ("expiration", "apns-expiration"), ("collapse_id", "apns-collapse-id"),
        ("apns_id", "apns-id"), ("id", "ID"),
    ])
    func `so are header values`(ours: String, theirs: String) throws {
        #expect(try found(["token", theirs]) == [ours: theirs])
    }

    @Test func `an exact name wins, and so does a mapping`() throws {
        #expect(try found(["device_token", "token", "TOKEN"]).isEmpty)
        #expect(
            try found(["device_token", "push_token"], mapping: ["token": "push_token"]).isEmpty)
        // A column that another value is read from is not free.
        #expect(try found(["deviceToken"], mapping: ["id": "deviceToken"]).isEmpty)
    }

    @Test func `of two candidates none is chosen`() {
        #expect(
            throws: ColumnNames.Ambiguity(
                column: "token", candidates: ["device_token", "pushToken"])
        ) { _ = try found(["device_token", "name", "pushToken"]) }
    }

    @Test(arguments: [
        "First_Name", "First Name", "firstname", "FirstName", "first-name", "FIRST NAME",
    ])
    func `a value of the template is found however its words are written`(theirs: String) throws {
        for ours in ["first_name", "firstName", "FirstName", "firstname"] where ours != theirs {
            #expect(try found(["token", theirs], extra: [ours]) == [ours: theirs])
        }
    }

    @Test func `the nearest spelling of a value wins, and two of them are an error`() throws {
        let one = try found(["token", "First Name", "First_Name"], extra: ["first_name"])
        #expect(one == ["first_name": "First_Name"])
        #expect(
            throws: ColumnNames.Ambiguity(
                column: "first_name", candidates: ["First Name", "firstName"])
        ) { _ = try found(["First Name", "firstName"], extra: ["first_name"]) }
        #expect(
            try found(["token", "First Name"], extra: ["first_name", "FirstName"])
                == ["first_name": "First Name", "FirstName": "First Name"])
        // A way into an object is none.
        #expect(try found(["token", "user_city"], extra: ["user.city"]).isEmpty)
        #expect(try found(["token", "user.city"], extra: ["user_city"]).isEmpty)
        #expect(try found(["token", "", "__"], extra: ["_"]).isEmpty)
    }

    @Test func `a value of the template keeps its column`() throws {
        #expect(try found(["token", "bundle_id"], extra: ["bundle_id"]).isEmpty)
    }

    /// `--report-token hash --carry DEVICETOKEN` would show what it is to hide.
    @Test func `the token's column is no other one's`() throws {
        #expect(
            try found(["deviceToken"], extra: ["DEVICETOKEN"]) == ["token": "deviceToken"])
        #expect(
            try found(["Device Token"], extra: ["device_token"]) == ["token": "Device Token"])
        #expect(try found(["token"], extra: ["TOKEN"]).isEmpty)
        #expect(
            try found(["dt"], extra: ["DT"], mapping: ["token": "dt"]).isEmpty)
    }

    // MARK: Providers

    private func provider(
        _ columns: [String], extra: [String] = [], mapping: [String: String] = [:]
    ) throws -> String? {
        let schema = RowSchema(extra: extra + ["provider"], mapping: mapping)
        return try ColumnNames.found(in: columns, for: schema, findsProvider: true)["provider"]
    }

    @Test(arguments: ["Provider", "platform", "PLATFORM", "os", "O.S.", "OS", "Service"])
    func `a provider is found under its usual names`(name: String) throws {
        #expect(try provider(["token", "name", name]) == name)
    }

    @Test func `of the names for a provider the best is taken`() throws {
        #expect(try provider(["token", "service", "os", "platform", "Provider"]) == "Provider")
        #expect(try provider(["token", "service", "os", "Platform"]) == "Platform")
        #expect(try provider(["token", "service", "os"]) == "os")
        // Under our own name nothing has to be found.
        #expect(try provider(["token", "Provider", "provider", "os"]) == nil)
        #expect(try provider(["token", "device_os", "osx"]) == nil)
    }

    @Test func `the column of the provider may be a value of the template, but not another column`()
        throws
    {
        #expect(try provider(["token", "os"], extra: ["os"]) == "os")
        #expect(try provider(["token", "OS"], extra: ["os"]) == "OS")
        #expect(try provider(["token", "os"], mapping: ["id": "os"]) == nil)
        #expect(try provider(["token", "os", "kind"], mapping: ["provider": "kind"]) == nil)
    }

    @Test func `of two columns that may be the provider's none is chosen`() {
        #expect(
            throws: ColumnNames.Ambiguity(column: "provider", candidates: ["OS", "os"])
        ) { _ = try provider(["token", "OS", "os"]) }
    }

    @Test func `a job with one provider does not look for it`() throws {
        #expect(try found(["token", "os", "Platform"]).isEmpty)
        #expect(try found(["token", "os"], extra: ["provider"]).isEmpty)
        #expect(
            try found(["token", "Provider"], extra: ["provider"]) == ["provider": "Provider"])
    }
}
