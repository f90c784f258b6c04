import FanfareBase
import FanfareCore

/// The payloads of which each row gets one, ready for use; all lanes share them.
final class ChosenTexts: Sendable {
    private let picker: TextPicker
    private let templates: [PayloadTemplate]
    private let names: [[UInt8]]

    /// - Parameters:
    ///   - picker: Finds the payload of a row.
    ///   - templates: The payloads.
    ///   - names: The name of each in the report.
    init(_ picker: TextPicker, _ templates: [PayloadTemplate], names: [String]) {
        self.picker = picker
        self.templates = templates
        self.names = names.map { Array($0.utf8) }
    }

    /// The slot of the column that decides; `nil` if the token does.
    var slot: Int? { picker.slot }

    /// Returns the number of a row's payload, from 1; 0 if none is for it.
    func number(of batch: RowBatch, _ index: Int) -> UInt8 {
        picker.text(of: batch, index).map { UInt8($0 + 1) } ?? 0
    }

    /// Returns the payload with a number; `nil` for 0.
    func template(_ number: UInt8) -> PayloadTemplate? {
        number == 0 ? nil : templates[Int(number) - 1]
    }

    /// Returns the name of the payload with a number; empty for 0.
    func name(_ number: UInt8) -> [UInt8] { number == 0 ? [] : names[Int(number) - 1] }
}
