package import FanfareCore

extension RowBatch {
    /// Takes what is not parsed yet to the batch that comes next, as the reader's thread does.
    package func moveRest(to next: RowBatch) {
        let rest = inputEnd - parsed
        next.reset()
        if next.inputCapacity < rest { next.grow(toInputCapacity: inputCapacity) }
        next.bytes.update(from: bytes + parsed, count: rest)
        next.inputEnd = rest
        // Bytes that a parser must not read any more are made to hurt.
        bytes.update(repeating: UInt8(ascii: "\""), count: 2 * inputCapacity)
    }
}
