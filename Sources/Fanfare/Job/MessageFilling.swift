import FanfareBase
import FanfareCore

/// The values that a job's message has for the columns of a description.
///
/// A column with the name of a field gets the field, for rows that have no value of their own there. A
/// column `payload` gets the whole message.
struct MessageFilling {
    /// The values, each with the index of its column.
    let values: [(column: Int, value: MessageValue)]
    /// The fields that the description has no column for.
    let unsaid: [MessageField]
    /// True if the message fills the column of a payload, too.
    let hasPayload: Bool

    /// - Parameters:
    ///   - message: The message.
    ///   - declared: The description.
    /// - Throws: `FanfareError` with code `configuration` about a field with a value that it may not have.
    init(_ message: Message, of declared: DeclaredOptions) throws(FanfareError) {
        let neutral = try message.neutral()
        let provider = declared.provider
        let kind = ProviderKind.declared(DeclaredName(provider.name))
        if let problem = neutral.problems(for: kind).first {
            throw FanfareError(.configuration, message: "\(message.name): \(problem.description)")
        }
        var values: [(column: Int, value: MessageValue)] = []
        var unsaid: [MessageField] = []
        for field in MessageField.allCases where neutral.has(field) {
            if let column = provider.columns.firstIndex(of: field.rawValue),
                column != provider.token.column,
                let value = neutral.value(of: field, priority: provider.priority)
            {
                values.append((column, value))
            } else {
                unsaid.append(field)
            }
        }
        self.values = values
        hasPayload = declared.takesPayload && !neutral.isEmpty
        self.unsaid = hasPayload ? [] : unsaid
    }

    /// The columns of rows that the placeholders name.
    /// - Throws: `FanfareError` with code `configuration`.
    func columnNames() throws(FanfareError) -> [String] {
        var names: [String] = []
        try told(\.jobError) { () throws(PayloadTemplateError) in
            for (_, value) in values {
                switch value {
                case .text(let text): names += try HeaderTemplate.columnNames(in: text)
                case .json(let json): names += try PayloadTemplate.columnNames(inJSON: json)
                }
            }
        }
        return names
    }

    /// Returns the value for each column of the description, compiled; `nil` for those that rows alone have.
    /// - Parameters:
    ///   - count: The number of columns.
    ///   - schema: The schema, with a slot for each of `columnNames()`.
    /// - Returns: A value or `nil` for each column.
    /// - Throws: `FanfareError` with code `configuration`.
    func compiled(
        columns count: Int, _ schema: RowSchema
    ) throws(FanfareError) -> [FilledColumn?] {
        var columns = [FilledColumn?](repeating: nil, count: count)
        try told(\.jobError) { () throws(PayloadTemplateError) in
            for (column, value) in values { columns[column] = try FilledColumn(value, schema) }
        }
        return columns
    }
}

extension Configuration {
    /// Returns the values of the job's message for a route's columns; `nil` without a message, and for built-in
    /// providers.
    /// - Throws: `FanfareError` with code `configuration`.
    func filling(of route: ProviderOptions) throws(FanfareError) -> MessageFilling? {
        guard let declared = route.declared, case .message(let message) = payload(of: route)
        else { return nil }
        return try MessageFilling(message, of: declared)
    }

    /// Returns the columns that the placeholders of a route's payload, headers and texts name.
    /// - Parameters:
    ///   - templates: The texts that its payloads are made of.
    ///   - route: The route.
    /// - Returns: Their names.
    /// - Throws: `FanfareError` with code `configuration`.
    func templateColumns(
        _ templates: [NamedTemplate], of route: ProviderOptions
    ) throws(FanfareError) -> [String] {
        var names = try PreparedJob.columns(ofTemplate: templates.first?.json, and: route)
        for template in templates.dropFirst() {
            names += try PreparedJob.columns(ofTemplate: template.json)
        }
        return names.distinct + (try filling(of: route)?.columnNames() ?? [])
    }

    /// Returns the places of the values that a route's rows have for its requests.
    /// - Parameters:
    ///   - columns: Those of its templates.
    ///   - route: The route, whose description may have columns that a message fills.
    ///   - schema: The schema.
    /// - Returns: Their numbers in the schema.
    /// - Throws: `FanfareError` with code `configuration`.
    func templateSlots(
        _ columns: [String], of route: ProviderOptions, _ schema: RowSchema
    ) throws(FanfareError) -> [Int] {
        let filled = try filling(of: route)?.values.map(\.column) ?? []
        let own = route.declared?.provider.columns.enumerated()
            .filter { !filled.contains($0.offset) }.map(\.element)
        let names = (route.declared?.valueColumns ?? []).filter { own?.contains($0) == true }
        return (columns + names).compactMap(schema.slot(named:))
    }
}
