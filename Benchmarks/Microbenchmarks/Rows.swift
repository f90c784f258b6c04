import FanfareBase
import FanfareCore
import FanfareJSON

/// From the bytes of an input to payloads.
func measureRows(_ meter: Meter, _ material: Material) throws {
    meter.measure("parse CSV", bytes: material.csvBytes) { material.parseCSV() }
    meter.measure("parse NDJSON", bytes: material.ndjsonBytes) { material.parseNDJSON() }

    meter.measure("check token", bytes: 64 * material.rowCount) {
        var good = 0
        for batch in material.csv {
            for row in 0..<batch.rowCount
            where HeaderRules.problem(token: material.token(batch, row)) == nil {
                good += 1
            }
        }
        precondition(good == material.rowCount, "a token that is none")
        return good
    }

    let validator = JSONValidator()
    let template = try PayloadTemplate(
        json: Array(Material.template.utf8), schema: material.schema,
        isJSON: validator.isValid)
    var payloads = ByteBuffer()
    var ranges: [ByteRange] = []
    for batch in material.csv {
        for row in 0..<batch.rowCount {
            let start = payloads.count
            precondition(
                template.render(batch, row: row, into: &payloads, isJSON: validator.isValid) == nil)
            ranges.append(ByteRange(start: start, count: payloads.count - start))
        }
    }

    var rendered = ByteBuffer(capacity: payloads.count)
    meter.measure("render template", bytes: payloads.count) {
        rendered.removeAll()
        var good = 0
        for batch in material.csv {
            for row in 0..<batch.rowCount
            where template.render(batch, row: row, into: &rendered, isJSON: validator.isValid)
                == nil
            {
                good += 1
            }
        }
        precondition(rendered.count == payloads.count, "another payload than before")
        return good
    }

    meter.measure("validate JSON", bytes: payloads.count) {
        let good = ranges.count { validator.isObject(payloads.bytes($0)) }
        precondition(good == material.rowCount, "a payload that is no object")
        return good
    }

    var large = ByteBuffer()
    large.append(#"{"aps":{"alert":"\#(String(repeating: "Wörter, ", count: 440))"}}"#)
    meter.measure("validate JSON 4 KB", bytes: large.count * 1000) {
        let good = (0..<1000).count { _ in validator.isObject(large.bytes) }
        precondition(good == 1000, "a payload that is no object")
        return good
    }
}
