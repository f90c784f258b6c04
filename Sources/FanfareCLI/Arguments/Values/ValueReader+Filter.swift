package import FanfareCore

extension ValueReader {
    /// What lines of a report are wanted: `outcome=failed,unknown`.
    package static func filter(_ text: String) throws(ValueFault) -> ReportFilter {
        do throws(ReportFilter.Fault) {
            return try ReportFilter(text)
        } catch {
            throw ValueFault(error.problem)
        }
    }
}

extension ParsedArguments {
    /// The filters of a repeated option, in the order given.
    package func filters(_ name: String) throws(UsageError) -> [ReportFilter] {
        try texts(name).map { text throws(UsageError) in
            do throws(ValueFault) {
                return try ValueReader.filter(text)
            } catch {
                guard let option = command.option(named: name) else {
                    preconditionFailure("BUG: \(command.name) has no option --\(name)")
                }
                throw .faultyValue(text, of: option, in: command, error)
            }
        }
    }
}
