package import FanfareBase

/// Rows that are put aside and come back in another batch, and rows that go from one to another.
///
/// ```
///  number │ line │ raw length │ copied length │ verdict, flags, fault │ raw row │ copied values │ fields
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
        var faultCode: UInt8
        var faultColumn: UInt32
    }

    /// Appends a row as it is to be kept.
    package func keepRow(_ index: Int, verdict: Verdict, in buffer: inout ByteBuffer) {
        let raw = unsafe rawRow(index)
        let (start, fault) = unsafe (Int(rows[index].start), rows[index].fault)
        let head = Head(
            number: number(of: index), line: unsafe rows[index].line,
            rawLength: UInt32(raw.count), copiedLength: UInt32(copiedBytes(ofRow: index)),
            verdict: verdict.rawValue, hasJSONStrings: hasJSONStrings,
            hasCarriageReturn: hasCarriageReturn(index), faultCode: fault.code.rawValue,
            faultColumn: fault.column)
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

    /// True if a value does not stand in its row, because it has lost quotes or escapes.
    private func isCopied(_ field: Field) -> Bool {
        field.kind != .missing && field.length > 0 && field.offset >= inputCapacity
    }

    /// Returns the bytes of a row's values that do not stand in it.
    private func copiedBytes(ofRow index: Int) -> Int {
        var count = 0
        for slot in 0..<slotCount {
            let field = field(row: index, slot: slot)
            if isCopied(field) { count += field.length }
        }
        return count
    }

    private static func append<Value>(_ value: Value, to buffer: inout ByteBuffer) {
        unsafe withUnsafeBytes(of: value) { bytes in
            unsafe buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Adds a row that was kept.
    /// - Parameter kept: The bytes that `keepRow` has made, and maybe more behind them.
    /// - Returns: The bytes of the row; `nil` if it does not fit in any more.
    package func addKeptRow(_ kept: UnsafeRawBufferPointer) -> Int? {
        let head = unsafe kept.loadUnaligned(as: Head.self)
        let (raw, copied) = (Int(head.rawLength), Int(head.copiedLength))
        guard hasRoom(raw: raw, copied: copied, hasJSONStrings: head.hasJSONStrings) else {
            return nil
        }
        var place = MemoryLayout<Head>.size
        let start = inputEnd
        unsafe copy(kept, place, raw, to: start)
        inputEnd += raw
        endLine(hasCarriageReturn: head.hasCarriageReturn)
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
        let fault = RowFault(
            RowFault.Code(rawValue: head.faultCode) ?? .none, column: Int(head.faultColumn))
        append(
            Row(line: head.line, start: start, length: raw, fault: fault), number: head.number,
            verdict: Verdict(rawValue: head.verdict) ?? .none)
        return place
    }

    /// Adds a row of another batch, as it is there.
    /// - Parameters:
    ///   - index: The row's place in the other batch.
    ///   - source: The other batch, which has as many slots.
    ///   - verdict: The verdict on it.
    /// - Returns: True if it fits; in an empty batch it always does.
    package func addRow(_ index: Int, of source: RowBatch, verdict: Verdict) -> Bool {
        let row = unsafe source.rows[index]
        let (raw, rawStart) = (Int(row.length), Int(row.start))
        let copied = source.copiedBytes(ofRow: index)
        guard hasRoom(raw: raw, copied: copied, hasJSONStrings: source.hasJSONStrings) else {
            return false
        }
        let start = inputEnd
        unsafe (bytes + start).update(from: source.bytes + rawStart, count: raw)
        inputEnd += raw
        endLine(hasCarriageReturn: source.hasCarriageReturn(index))
        for slot in 0..<slotCount {
            let field = source.field(row: index, slot: slot)
            var place = start
            if source.isCopied(field) {
                place = scratchEnd
                unsafe (bytes + place).update(
                    from: source.bytes + field.offset, count: field.length)
                scratchEnd += field.length
            } else if field.kind != .missing && field.length > 0 {
                place += field.offset - rawStart
            }
            unsafe fields[rowCount * slotCount + slot] = Field(
                field.kind, start: place, length: field.length)
        }
        append(
            Row(line: row.line, start: start, length: raw, fault: row.fault),
            number: source.number(of: index), verdict: verdict)
        return true
    }

    // MARK: Room

    /// True if there is room for a row; an empty batch makes room.
    private func hasRoom(raw: Int, copied: Int, hasJSONStrings: Bool) -> Bool {
        let needed = max(raw + 2, copied)
        if rowCount == 0, needed > inputCapacity { grow(toInputCapacity: needed) }
        if rowCount == 0 { self.hasJSONStrings = hasJSONStrings }
        return rowCount < rowCapacity && inputEnd + raw + 2 <= inputCapacity
            && scratchEnd + copied <= 2 * inputCapacity && self.hasJSONStrings == hasJSONStrings
    }

    private func endLine(hasCarriageReturn: Bool) {
        if hasCarriageReturn {
            unsafe bytes[inputEnd] = UInt8(ascii: "\r")
            inputEnd += 1
        }
        unsafe bytes[inputEnd] = UInt8(ascii: "\n")
        inputEnd += 1
    }

    /// Adds a row whose bytes and values are there.
    private func append(_ row: Row, number: UInt64, verdict: Verdict) {
        parsed = inputEnd
        unsafe rows[rowCount] = row
        rowCount += 1
        numbers.append(number)
        verdicts.append(verdict)
    }

    private func copy(_ kept: UnsafeRawBufferPointer, _ place: Int, _ count: Int, to offset: Int) {
        guard count > 0 else { return }
        let target = unsafe UnsafeMutableRawBufferPointer(start: bytes + offset, count: count)
        unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: kept[place..<place + count]))
    }
}
