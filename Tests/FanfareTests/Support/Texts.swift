import FanfareCore

@testable import Fanfare

extension String {
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
    }
}

extension RowInput {
    /// An input in memory.
    static func text(_ text: String, name: String = "input") -> RowInput {
        .memory(Array(text.utf8), name: name)
    }
}

/// Values of rows that a reader may take for something else.
enum DeceptiveTexts {
    /// A value with a line in it as reports have them.
    static let line =
        "x\n1,u,\(String(repeating: "a", count: 64)),apns,accepted,200,,,1,1.000,,\nz"
}

/// The error of an expression that must have one.
func fanfareError(_ body: () throws -> Void) -> FanfareError? {
    do {
        try body()
        return nil
    } catch {
        return error as? FanfareError
    }
}
