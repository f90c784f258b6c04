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

/// The error of an expression that must have one.
func fanfareError(_ body: () throws -> Void) -> FanfareError? {
    do {
        try body()
        return nil
    } catch {
        return error as? FanfareError
    }
}
