/// The lines at the bottom of the terminal that are drawn again and again: one, or several.
package struct LiveBlock: Sendable, Equatable {
    /// The lines as they were drawn, styles included; none for nothing.
    package let lines: [String]

    /// Describes lines, each without its end.
    package init(_ lines: [String] = []) {
        self.lines = lines
    }

    package var isEmpty: Bool { lines.isEmpty }

    /// The text that draws the block; the cursor stays behind the last line.
    package var drawing: String { lines.joined(separator: "\n") }

    /// Returns the sequences that erase the block and leave the cursor at its beginning.
    ///
    /// Most terminals that become narrower break lines that no longer fit. So the rows are counted
    /// by the present width. A terminal that does not break lines loses one row above for each row
    /// counted too many.
    /// - Parameter columns: The terminal's present width.
    /// - Returns: The sequences; empty for an empty block.
    package func erasure(columns: Int) -> String {
        guard !isEmpty else { return "" }
        let rows = lines.reduce(0) { rows, line in
            rows + max((Self.width(of: line) + columns - 1) / max(columns, 1), 1)
        }
        return rows == 1 ? "\r\u{1B}[K" : "\r\u{1B}[\(rows - 1)A\u{1B}[J"
    }

    /// The characters of a line that are seen: all but those of styles.
    static func width(of line: String) -> Int {
        var count = 0
        var isStyle = false
        for scalar in line.unicodeScalars {
            if scalar.value == 0x1B {
                isStyle = true
            } else if isStyle {
                isStyle = scalar != "m"
            } else {
                count += 1
            }
        }
        return count
    }
}
