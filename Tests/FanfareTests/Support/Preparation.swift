import FanfareCore

@testable import Fanfare

/// One prepared row as texts.
struct PreparedTexts: Equatable {
    var isReady = false
    var problem = ""
    var kind = ""
    var token = ""
    var apnsID = ""
    var payload = ""
    var prefix = ""
    var suffix = ""
    var topic = ""
    var givesTopic = false
    var pushType = ""
    var priority = ""
    var expiration = ""
    var collapseID = ""
}

/// Prepares the rows of an input as a job would.
enum Preparation {
    static let identity = JobIdentity(bits: 0x123_4567_89ab_cdef)

    /// A configuration with one input and a payload for all rows.
    static func configuration(
        _ text: String, payload: String? = #"{"aps":{"alert":"hi"}}"#
    ) -> Configuration {
        var configuration = Configuration()
        configuration.inputs = [.text(text)]
        if let payload {
            configuration.payload = .template(json: Array(payload.utf8), name: "the template")
        }
        configuration.provider.topic = "com.example.app"
        return configuration
    }

    static func rows(
        _ configuration: Configuration, _ change: (RowBatch) -> Void = { _ in }
    ) throws -> [PreparedTexts] {
        let plan = try PreparedJob(configuration, identity: identity)
        var preparer = RowPreparer(plan.preparation, plan.routes[0].service)
        var row = PreparedRow()
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 64, slotCount: plan.preparation.schema.slotCount)
        var texts: [PreparedTexts] = []
        while try plan.source.fill(batch) {
            change(batch)
            for index in 0..<batch.rowCount {
                let isReady = preparer.prepare(batch, index, into: &row)
                texts.append(read(row, isReady: isReady, preparer))
            }
        }
        return texts
    }

    static func rows(
        _ text: String, payload: String? = #"{"aps":{"alert":"hi"}}"#,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> [PreparedTexts] {
        var configuration = configuration(text, payload: payload)
        change(&configuration)
        return try rows(configuration)
    }

    private static func read(
        _ row: borrowing PreparedRow, isReady: Bool, _ preparer: borrowing RowPreparer
    ) -> PreparedTexts {
        var texts = PreparedTexts()
        texts.isReady = isReady
        texts.prefix = String(row.bytes.bytes(row.reportPrefix))
        texts.suffix = String(row.bytes.bytes(row.reportSuffix))
        guard isReady else {
            texts.problem = String(preparer.problem.bytes)
            texts.kind = preparer.problemKind.description
            return texts
        }
        texts.token = String(row.bytes.bytes(row.token))
        texts.apnsID = String(row.bytes.bytes(row.messageID))
        texts.payload = String(row.bytes.bytes(row.payload))
        texts.topic = String(row.bytes.bytes(row.field(APNs.Field.topic)))
        texts.givesTopic = row.ownColumns.contains(.topic)
        texts.pushType = String(row.bytes.bytes(row.field(APNs.Field.pushType)))
        texts.priority = String(row.bytes.bytes(row.field(APNs.Field.priority)))
        texts.expiration = String(row.bytes.bytes(row.field(APNs.Field.expiration)))
        texts.collapseID = String(row.bytes.bytes(row.field(APNs.Field.collapseID)))
        return texts
    }
}
