import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem
import FanfareTLS

/// The checks of a plan's outputs: names, formats, and that no file is lost.
extension PreparedJob {
    /// The files that rows' outcomes go to.
    var outputs: [OutputSpec] {
        var specs: [OutputSpec] = []
        if configuration.report.path != ReportOptions.noFile {
            let header = Array(preparation.report.header.utf8)
            specs.append(
                OutputSpec(
                    kind: .report, path: configuration.report.path, header: header,
                    split: configuration.report.split))
        }
        if let path = configuration.report.unregisteredPath {
            let header = Array((preparation.unregistered?.header ?? "").utf8)
            specs.append(OutputSpec(kind: .unregistered, path: path, header: header))
        }
        if let path = configuration.report.retryRowsPath {
            specs.append(
                OutputSpec(kind: .retryRows, path: path, header: source.first?.header ?? []))
        }
        return specs
    }

    /// Puts the report in order at the end; `nil` if the report keeps the order of completion.
    func ordering(_ control: JobControl) -> ReportOrdering? {
        configuration.report.isOrdered ? ReportOrdering(preparation.report, control: control) : nil
    }

    /// Refuses an output whose overwriting would destroy an input, or another output.
    static func protectFiles(_ configuration: Configuration) throws(FanfareError) {
        let report = configuration.report
        let outputs: [(title: String, kind: OutputKind, path: String?)] = [
            ("the report", .report, report.path),
            ("the list of dead tokens", .unregistered, report.unregisteredPath),
            ("the file of rows to try again", .retryRows, report.retryRowsPath),
        ]
        try report.checkSplit(configuration)
        try protectFromOrdering(configuration)
        var taken: [(kind: OutputKind, path: String)] = []
        for (title, kind, path) in outputs {
            guard let path else { continue }
            for case .file(let list) in configuration.rows.suppressions
            where FileDescriptor.areSame(list, path) {
                throw FanfareError(
                    .configuration,
                    "\(title) would replace the tokens in \(list), which \(.suppressions) reads; "
                        + "\(kind.setting, any: "FILE") names another file")
            }
            for input in configuration.inputs where input.isRead(from: path) {
                throw FanfareError(
                    .configuration,
                    "\(title) would replace the rows in \(input.name); "
                        + "\(kind.setting, any: "FILE") names another file")
            }
            if let other = taken.first(where: { isOneFile($0.path, path) }) {
                throw FanfareError(
                    .configuration,
                    "\(other.kind.setting) and \(kind.setting) name the same file, "
                        + Statement(path == "-" ? "standard output" : path))
            }
            taken.append((kind, path))
        }
    }

    /// Refuses a report whose ordered copy would destroy another file.
    private static func protectFromOrdering(
        _ configuration: Configuration
    ) throws(FanfareError) {
        let report = configuration.report
        guard report.isOrdered else { return }
        let copy = ReportOrdering.copyPath(of: report.path)
        let inputs = configuration.inputs + configuration.rows.suppressions
        let outputs = [report.unregisteredPath, report.retryRowsPath].compactMap(\.self)
        let others = inputs.compactMap(\.path) + outputs
        guard
            inputs.contains(where: { $0.isRead(from: copy) })
                || others.contains(where: { isOneFile($0, copy) })
        else { return }
        throw FanfareError(
            .configuration,
            "\(.isOrdered) puts the report in order in \(copy), which is used for something else; "
                + "\(.reportPath, any: "FILE") names another file")
    }

    /// Files of rows have headers of their own: a descriptor that leads to a file is one file, too.
    private static func isOneFile(_ first: String, _ second: String) -> Bool {
        FileDescriptor.areSame(first, second) || FileDescriptor.areOneOutput(first, second)
    }

    // MARK: Names

    /// Rows under a name that says something else would not be read again.
    func checkRetryRowsName() throws(FanfareError) {
        guard let path = configuration.report.retryRowsPath, configuration.rows.format == nil,
            let format = source.first?.format, let named = RowFormat(ofPath: path),
            named != format
        else { return }
        let (article, ending) = format == .csv ? ("CSV", ".csv") : ("NDJSON", ".ndjson")
        throw FanfareError(
            .configuration,
            "\(.retryRowsPath) \(path): the rows are \(article), so the name must end in \(ending)")
    }

    /// Two of a billion tokens have the same 16 bytes with a probability of 10⁻²¹.
    private static let tokenHashBytes = 16

    static func reportFormat(
        _ options: ReportOptions, _ mapping: [String: String], hasVariants: Bool = false
    ) throws(FanfareError) -> ReportFormat {
        let tokenColumn = mapping["token"] ?? "token"
        let carried = options.carriedColumns.first { (mapping[$0] ?? $0) == tokenColumn }
        if let carried, options.token != .full {
            throw FanfareError(
                .configuration,
                "\(.carriedColumns) \(carried) would show the tokens that \(.reportToken) "
                    + "\(options.token.rawValue) hides")
        }
        try check(carried: options.carriedColumns)
        let style: ReportFormat.TokenStyle =
            switch options.token {
            case .full: .full
            case .prefix: .prefix
            case .hash:
                unsafe .hash {
                    unsafe SHA256.appendBeginning(Self.tokenHashBytes, of: $0, into: &$1)
                }
            }
        let kind = try options.path == ReportOptions.noFile ? .csv : kind(of: options.path, .report)
        return ReportFormat(
            kind, tokenStyle: style,
            carriedNames: options.carriedColumns
                + (hasVariants ? [PayloadChoice.reportColumn] : []))
    }

    /// Refuses a carried column with the name of another one: a reader would find only one of them.
    private static func check(carried columns: [String]) throws(FanfareError) {
        for (index, column) in columns.enumerated() {
            if ReportFormat.columns.contains(column) {
                throw FanfareError(
                    .configuration,
                    "\(.carriedColumns) \(column): the report has a column '\(column)' of its "
                        + "own; to carry the input's under another name: "
                        + "\(.carriedColumns, option: "NAME", member: #"["NAME"]"#) "
                        + "\(.mapping, of: "NAME", is: column)")
            }
            if columns[..<index].contains(column) {
                throw FanfareError(.configuration, "\(.carriedColumns) names '\(column)' twice")
            }
        }
    }

    static func unregisteredFormat(
        _ options: ReportOptions
    ) throws(FanfareError) -> UnregisteredFormat? {
        guard let path = options.unregisteredPath else { return nil }
        return UnregisteredFormat(try kind(of: path, .unregistered))
    }

    private static func kind(
        of path: String, _ output: OutputKind
    ) throws(FanfareError) -> ReportFormat.Kind {
        let name = CompressionFormat.split(path).name.lowercased()
        if name == "-" || name.hasSuffix(".csv") || OutputFile.isDevice(path) { return .csv }
        if name.hasSuffix(".ndjson") { return .ndjson }
        throw FanfareError(
            .configuration,
            "\(output.setting) \(path): the name must end in .csv or .ndjson, "
                + "or that and .gz or .zst" + (output == .report ? ", or in .sqlite or .db" : ""))
    }
}
