/// Rows whose tokens say which row they are.
enum Rows {
    /// A token of 64 hexadecimal digits that ends in the row's number.
    ///
    /// It begins with what a server's or scenario's rule goes by.
    static func token(_ row: Int, prefix: String = "") -> String {
        let number = String(row, radix: 16)
        return prefix + String(repeating: "0", count: 64 - prefix.count - number.count) + number
    }

    /// A CSV file with a token column.
    static func csv(_ count: Int, prefix: (Int) -> String = { _ in "" }) -> String {
        var text = "token\n"
        for row in stride(from: 1, through: count, by: 1) {
            text += token(row, prefix: prefix(row)) + "\n"
        }
        return text
    }
}
