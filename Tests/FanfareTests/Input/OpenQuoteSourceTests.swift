import FanfareCore
import Foundation
import Testing

@testable import Fanfare

/// Inputs that end in a quoted field.
@Suite struct OpenQuoteSourceTests {
    /// Reads an input to where it stops.
    private func read(
        _ text: String, rowCapacity: Int = 64
    ) -> (rows: [ReadRow], error: FanfareError?) {
        var reading = RowReading(RowReading.source([.text(text, name: "rows")]))
        let error = fanfareError {
            try reading.readAll(inputCapacity: 4096, rowCapacity: rowCapacity)
        }
        return (reading.rows, error)
    }

    @Test func `the quote is told behind the rows before it, with what to do`() {
        let message: String = """
            rows, line 3: the quote at the beginning of field 2 is left open: no quote closes the \
            field up to the end of the input, and the 2 lines behind it would go into it. Mend the \
            line ("" is a quote in a quoted field), or the input's end if that was cut off, or say \
            RowOptions.quotes = .ignored, which takes quotes for ordinary bytes, or RowOptions.quotes = .trusted, which \
            takes all that for one invalid row
            """
        let text = "token,id\naa,1\nbb,\"open\ncc\ndd\n"
        for rowCapacity in [1, 2, 64] {
            let (rows, error) = read(text, rowCapacity: rowCapacity)
            #expect(rows == [ReadRow(number: 1, line: 2, token: "aa")])
            #expect(error?.code == .input)
            #expect(error?.message == message)
        }
    }

    @Test func `one line is one line`() {
        let (rows, error) = read("token,id\naa,\"1\nbb,2\n")
        #expect(rows.isEmpty)
        #expect(error?.message.contains("and the line behind it would go into it") == true)
    }

    @Test func `a quote that takes no line along costs its row`() {
        for end in ["", "\n", "\n\r\n"] {
            let (rows, error) = read("token,id\naa,1\nbb,\"open" + end)
            #expect(rows.map(\.fault) == [.none, .unclosedQuote])
            #expect(rows.map(\.line) == [2, 3])
            #expect(error == nil)
        }
    }

    @Test(arguments: [RowQuotes.trusted, .ignored])
    func `what is said of quotes counts`(quotes: RowQuotes) throws {
        let text = "token,id\naa,\"1\nbb,2\n"
        let rows = try RowReading.rows([.text(text)]) { $0.quotes = quotes }
        let faults: [RowFault.Code] = quotes == .trusted ? [.unclosedQuote] : [.none, .none]
        #expect(rows.map(\.fault) == faults)
    }

    @Test func `a row that is too long is no row before its quote is closed`() {
        // 1.4 MB: more than a row may have, and more than is kept of one.
        let text = "token,id\naa,1\nbb,\"open\n" + String(repeating: "cc,3,x\n", count: 200_000)
        let (rows, error) = read(text)
        #expect(rows.map(\.line) == [2])
        #expect(error?.message.contains("rows, line 3: the quote at") == true)
        #expect(error?.message.contains("the 200000 lines behind it") == true)

        // The closing quote stands on line 200,004.
        let (whole, none) = read(text + "\",9\ndd,4\n")
        #expect(none == nil)
        #expect(whole.map(\.number) == [1, 2, 3])
        #expect(whole.map(\.line) == [2, 3, 200_005])
        #expect(whole.map(\.token) == ["aa", nil, "dd"])
        #expect(whole.map(\.fault) == [.none, .rowTooLong, .none])
    }

    @Test func `a header that the input ends in is told with its line`() {
        let source = RowReading.source([.text("token,\"id\naa,1\nbb,2\n", name: "rows")])
        let error = fanfareError { try source.openFirst() }
        let message = error?.message ?? "none"
        #expect(
            message.hasPrefix("rows, line 1: the quote at the beginning of field 2 is left open"))
        #expect(
            message.contains("the 2 lines behind it")
                && message.contains(
                    "RowOptions.quotes "
                        + "= .ignored")
        )
        // It would be a header without an end.
        #expect(!message.contains("trusted"))
    }

    /// The job itself has ended the pipe: it is half a row, which is whole the next time.
    @Test func `half a row of a pipe that is not waited for is none, and no fault`() throws {
        let pipe = Pipe()
        let number = pipe.fileHandleForReading.fileDescriptor
        let text = "token,id\naa,1\nbb,\"on\ntwo lin"
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        // An input behind it is not looked for either.
        let source = RowReading.source([.file("/dev/fd/\(number)"), .text("none of our columns")])
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 8, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        #expect(batch.rowCount == 1)
        source.cancellation.set()
        #expect(try !source.fill(batch))
        #expect(source.next == 1 && source.reader == nil)
        #expect(source.rowCount == 1)
        try pipe.fileHandleForWriting.close()
    }
}
