package import FanfareBase

/// Rows that are put aside and come back in another batch.
///
/// ```
///  number │ line │ raw length │ copied length │ verdict, flags │ raw row │ copied values │ fields
/// ```
/// A field's place is counted from the raw row's beginning, or from that of the copied values. The
/// numbers are the machine's own: no other machine reads them.
extension RowBatch {
    private struct Head {
        var number: UInt64
        var line: UInt64
        var rawLength: UInt32
        var copiedLength: UInt32
        var verdict: UInt8
        var hasJSONStrings: Bool
        var hasCarriageReturn: Bool
        var unused: UInt8 = 0
        var unusedToo: UInt32 = 0
    }

    /// Appends a row as it is to be kept.
    package func keepRow(_ index: Int, verdict: Verdict, in buffer: inout ByteBuffer) {
        let raw = unsafe rawRow(index)
        let start = unsafe Int(rows[index].start)
        var copied = 0
        for slot in 0..<slotCount {
            let field = field(row: index, slot: slot)
            if isCopied(field) { copied += field.length }
        }
        let head = Head(
            number: number(of: index), line: unsafe rows[index].line,
            rawLength: UInt32(raw.count), copiedLength: UInt32(copied), verdict: verdict.rawValue,
            hasJSONStrings: hasJSONStrings, hasCarriageReturn: hasCarriageReturn(index))
        Self.append(head, to: &buffer)
        unsafe buffer.append(raw)
        for slot in 0..<slotCount {
            let field = field(row: index, slot: slot)
            if isCopied(field) { unsafe buffer.append(value(field)) }
        }
        var place = raw.count
        for slot in 0..<slotCount {
            let field = field(row: index, slot: slot)
            guard field.kind != .missing, field.length > 0 else {
                Self.append(Field(field.kind, start: 0, length: 0), to: &buffer)
                continue
            }
            let isCopied = isCopied(field)
            Self.append(
                Field(
                    field.kind, start: isCopied ? place : field.offset - start,
                    length: field.length), to: &buffer)
            if isCopied { place += field.length }
        }
    }

    private func isCopied(_ field: Field) -> Bool {
        field.kind != .missing && field.length > 0 && field.offset >= inputCapacity
    }

    private static func append<Value>(_ value: Value, to buffer: inout ByteBuffer) {
        unsafe withUnsafeBytes(of: value) { bytes in
            unsafe buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Adds a row that was kept.
    /// - Parameter kept: What `keepRow` has made, and maybe more behind it.
    /// - Returns: The bytes of the row; `nil` if it does not fit in any more.
    package func addKeptRow(_ kept: UnsafeRawBufferPointer) -> Int? {
        let head = unsafe kept.loadUnaligned(as: Head.self)
        let (raw, copied) = (Int(head.rawLength), Int(head.copiedLength))
        let needed = max(raw + 2, copied)
        if rowCount == 0, needed > inputCapacity { grow(toInputCapacity: needed) }
        if rowCount == 0 { hasJSONStrings = head.hasJSONStrings }
        guard rowCount < rowCapacity, inputEnd + raw + 2 <= inputCapacity,
            scratchEnd + copied <= 2 * inputCapacity, hasJSONStrings == head.hasJSONStrings
        else { return nil }
        var place = MemoryLayout<Head>.size
        let start = inputEnd
        unsafe copy(kept, place, raw, to: start)
        inputEnd += raw
        for byte in head.hasCarriageReturn ? [13, 10] : [10] as [UInt8] {
            unsafe bytes[inputEnd] = byte
            inputEnd += 1
        }
        place += raw
        unsafe copy(kept, place, copied, to: scratchEnd)
        place += copied
        for slot in 0..<slotCount {
            let field = unsafe kept.loadUnaligned(fromByteOffset: place, as: Field.self)
            let offset =
                field.offset < raw ? start + field.offset : scratchEnd + field.offset - raw
            unsafe fields[rowCount * slotCount + slot] = Field(
                field.kind, start: field.length == 0 ? start : offset, length: field.length)
            place += MemoryLayout<Field>.size
        }
        scratchEnd += copied
        parsed = inputEnd
        unsafe rows[rowCount] = Row(line: head.line, start: start, length: raw)
        rowCount += 1
        numbers.append(head.number)
        verdicts.append(Verdict(rawValue: head.verdict) ?? .none)
        return place
    }

    private func copy(_ kept: UnsafeRawBufferPointer, _ place: Int, _ count: Int, to offset: Int) {
        guard count > 0 else { return }
        let target = unsafe UnsafeMutableRawBufferPointer(start: bytes + offset, count: count)
        unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: kept[place..<place + count]))
    }
}
