extension ValueReader {
    /// `NAME=@FILE`: a secret comes from a file, because others can see command lines.
    package static func secretFile(_ text: String) throws(ValueFault) -> (
        key: String, value: String
    ) {
        let pair: (key: String, value: String)
        do throws(ValueFault) {
            pair = try self.pair(text, allowsEmptyValue: false)
        } catch {
            throw ValueFault(error.problem, isSecret: true)
        }
        guard pair.value.hasPrefix("@") else {
            throw ValueFault(
                "is a secret itself, where others can see it; put it into a file",
                example: "\(pair.key)=@FILE", isSecret: true)
        }
        guard pair.value != "@" else { throw ValueFault("names no file") }
        return (pair.key, String(pair.value.dropFirst()))
    }
}
