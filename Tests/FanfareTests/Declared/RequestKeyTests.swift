import FanfareCore
import Testing

@testable import Fanfare

@Suite struct RequestKeyTests {
    /// RFC 9562 §A.4: a name in the namespace of DNS.
    @Test func `a UUID of version 5 is as published`() {
        let dns: [UInt8] = [
            0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4,
            0x30, 0xC8,
        ]
        #expect(
            RequestKey.uuid5(namespace: dns, name: Array("www.example.com".utf8))
                == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    /// Python's uuid and hashlib, with the namespace d26b1c0e-8f3a-4e57-9a64-217c5de093b8.
    @Test func `a key is made of job and row`() {
        func key(_ form: DeclaredIdempotency.Form, _ job: String, _ row: UInt64) -> String {
            String(decoding: RequestKey.make(form, job: job, row: row), as: UTF8.self)
        }
        #expect(key(.uuid5, "job", 7) == "7b03621a-39bf-5309-9dd1-d086b4d1a2c6")
        #expect(key(.alnum16, "job", 7) == "6woq8amg8ghhgx7k")
        #expect(key(.alnum16, "job", 8) != key(.alnum16, "job", 7))
        #expect(key(.uuid5, "other", 7) != key(.uuid5, "job", 7))
    }
}
