import FanfareBase
import FanfareCore

/// The header values of a row.
extension APNs {
    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int {
        try addID(of: batch, index, to: &row)
        row.setField(Field.token, row.token)
        guard batch.hasValues(from: .topic, through: .collapseID, row: index) else {
            guard !settings.lacksTopic || !settings.validates else { throw .topicMissing }
            if settings.collapseTemplate != nil { try fillCollapseID(of: batch, index, to: &row) }
            return settings.pushTypeRules.payloadBytesMax
        }
        return try addOwnValues(of: batch, index, to: &row).payloadBytesMax
    }

    private func addID(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) {
        let own = unsafe batch.value(of: .apnsID, row: index)
        let start = row.bytes.count
        if own.isEmpty {
            settings.identity.appendID(ofRow: row.number, to: &row.bytes)
        } else {
            if let problem = unsafe HeaderRules.problem(apnsID: own) { throw problem }
            unsafe HeaderRules.appendLowercased(own, into: &row.bytes)
        }
        row.messageID = ByteRange(start: start, count: JobIdentity.idBytes)
        row.setField(Field.id, row.messageID)
    }

    /// The values that the row brings itself.
    ///
    /// An empty cell means the job's default.
    /// - Returns: The rules of its push type.
    private func addOwnValues(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> PushType.Rules {
        var rules = settings.pushTypeRules
        let pushType = unsafe batch.value(of: .pushType, row: index)
        if !pushType.isEmpty {
            if let problem = unsafe HeaderRules.problem(pushType: pushType) { throw problem }
            unsafe rules = PushType.rules(named: pushType)
            unsafe add(pushType, .pushType, Field.pushType, to: &row)
        }
        let topic = unsafe batch.value(of: .topic, row: index)
        if !topic.isEmpty {
            if let problem = unsafe HeaderRules.problem(topic: topic) { throw problem }
            unsafe addTopic(topic, rules, to: &row)
            row.ownColumns.insert(.topic)
        } else if settings.lacksTopic && settings.validates {
            throw .topicMissing
        } else if !pushType.isEmpty {
            deriveTopic(rules, for: &row)
        }
        let priority = unsafe batch.value(of: .priority, row: index)
        if !priority.isEmpty {
            let found = unsafe HeaderRules.problem(priority: priority, rules: rules)
            if let found { throw found }
            unsafe add(priority, .priority, Field.priority, to: &row)
        } else if !pushType.isEmpty {
            try derivePriority(rules, for: &row)
        }
        let expiration = unsafe batch.value(of: .expiration, row: index)
        if !expiration.isEmpty {
            if let found = unsafe HeaderRules.problem(expiration: expiration) { throw found }
            unsafe add(expiration, .expiration, Field.expiration, to: &row)
            row.expiration = unsafe Self.seconds(expiration)
        }
        let collapseID = unsafe batch.value(of: .collapseID, row: index)
        if !collapseID.isEmpty {
            if let found = unsafe HeaderRules.problem(collapseID: collapseID) { throw found }
            unsafe add(collapseID, .collapseID, Field.collapseID, to: &row)
        } else {
            try fillCollapseID(of: batch, index, to: &row)
        }
        return rules
    }

    private func add(
        _ value: UnsafeBufferPointer<UInt8>, _ column: RowSchema.Known, _ place: Int,
        to row: inout PreparedRow
    ) {
        let range = unsafe row.append(value)
        row.setField(place, range)
        row.ownColumns.insert(column)
    }

    /// Makes the job's collapse id of the row's values.
    private func fillCollapseID(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) {
        guard let template = settings.collapseTemplate else { return }
        let start = row.bytes.count
        guard template.render(batch, row: index, into: &row.bytes) == nil else {
            throw .templateValueMissing
        }
        let range = ByteRange(start: start, count: row.bytes.count - start)
        // Nothing is replaced then.
        guard !range.isEmpty else { return }
        if let found = unsafe HeaderRules.problem(collapseID: row.bytes.bytes(range)) {
            throw found
        }
        row.setField(Field.collapseID, range)
        row.ownColumns.insert(.collapseID)
    }

    private func addTopic(
        _ topic: UnsafeBufferPointer<UInt8>, _ rules: PushType.Rules, to row: inout PreparedRow
    ) {
        let start = row.bytes.count
        unsafe APNsTopic.appendFull(topic, rules: rules, into: &row.bytes)
        row.setField(Field.topic, ByteRange(start: start, count: row.bytes.count - start))
    }

    /// Gives the job's topic the suffix of the row's push type, where that is another one.
    private func deriveTopic(_ rules: PushType.Rules, for row: inout PreparedRow) {
        let jobSuffix = unsafe settings.pushTypeRules.topicSuffix.bytes
        let isOther = unsafe !rules.topicSuffix.equals(jobSuffix)
        guard !settings.givenTopic.isEmpty, isOther else { return }
        unsafe settings.givenTopic.withUnsafeBufferPointer { topic in
            unsafe addTopic(topic, rules, to: &row)
        }
    }

    /// Gives the row the priority that goes without saying for its own push type, where it is
    /// another one than for the job's.
    private func derivePriority(
        _ rules: PushType.Rules, for row: inout PreparedRow
    ) throws(RowProblem) {
        guard settings.givenPriority == 0 else {
            let isAllowed = HeaderRules.allows(priority: settings.givenPriority, rules: rules)
            guard isAllowed || !settings.validates else { throw .priorityNotAllowed }
            return
        }
        guard rules.requiredPriority != settings.pushTypeRules.requiredPriority else { return }
        let start = row.bytes.count
        let isFree = rules.requiredPriority == 0
        row.bytes.append(
            decimal: UInt64(isFree ? PushType.defaultPriority : rules.requiredPriority))
        row.setField(Field.priority, ByteRange(start: start, count: row.bytes.count - start))
        // The row's own push type asks for it.
        row.ownColumns.insert(.priority)
    }

    /// The number in digits; 0, which is never, beyond the year 5000, when nothing has expired.
    private static func seconds(_ digits: UnsafeBufferPointer<UInt8>) -> Int64 {
        var seconds: Int64 = 0
        for index in digits.indices {
            let byte = unsafe digits[index]
            guard byte >= 48, byte <= 57, seconds < 100_000_000_000 else { return 0 }
            seconds = seconds * 10 + Int64(byte - 48)
        }
        return seconds
    }
}
