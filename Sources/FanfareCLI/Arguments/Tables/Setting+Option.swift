package import FanfareBase

extension Naming {
    /// As the options of this command line.
    package static let commandLine = Naming.options { $0.options.joined(last: " or ") }
}

extension Setting {
    /// The options that a setting comes from, spelled with their dashes; more than one for a setting that
    /// several options make.
    package var options: [String] {
        switch self {
        case .format: ["--format"]
        case .encoding: ["--encoding"]
        case .delimiter: ["--delimiter"]
        case .quotes: ["--quotes"]
        case .noHeader: ["--no-header"]
        case .columns: ["--columns"]
        case .mapping: ["--map"]
        case .routeWords: ["--route"]
        case .deduplication: ["--deduplicate"]
        case .suppressions: ["--suppress"]
        case .noValidation: ["--no-validate"]
        case .table: ["--table"]
        case .query: ["--query"]
        case .seedList: ["--seed-list"]
        case .seedFailures: ["--seed-failures"]
        case .payload: ["--payload"]
        case .anyPayload: ["--payload", "--payload-json", "--alert"]
        case .provider: ["--provider"]
        case .endpoint: ["--endpoint"]
        case .environment: ["--environment"]
        case .topic: ["--topic"]
        case .pushType: ["--push-type"]
        case .priority: ["--priority"]
        case .expiration: ["--expiration"]
        case .collapseID: ["--collapse-id"]
        case .certificate: ["--certificate"]
        case .serviceAccount: ["--service-account"]
        case .metadataServer: ["--metadata-server"]
        case .accessToken: ["--access-token-file"]
        case .project: ["--project"]
        case .validatesOnly: ["--online"]
        case .passphraseFile: ["--passphrase-file"]
        case .caFile: ["--ca-file"]
        case .unverifiedServer: ["--insecure"]
        case .proxy: ["--proxy"]
        case .noProxy: ["--no-proxy"]
        case .proxyCredentials: ["--proxy-credentials-file"]
        case .lanes: ["--lanes"]
        case .connections: ["--connections"]
        case .delivery: ["--delivery"]
        case .stopIf: ["--stop-if"]
        case .failIf: ["--fail-if"]
        case .window: ["--window"]
        case .timezone: ["--timezone"]
        case .timezoneColumn: ["--timezone-column"]
        case .reportPath: ["--report"]
        case .reportSplit: ["--report-split"]
        case .reportToken: ["--report-token"]
        case .unregisteredPath: ["--unregistered"]
        case .retryRowsPath: ["--retry-rows"]
        case .carriedColumns: ["--carry"]
        case .isOrdered, .isExtractOrdered: ["--ordered"]
        case .resumes: ["--resume"]
        case .overwrites: ["--overwrite"]
        case .durability: ["--durability"]
        case .logPath: ["--log"]
        case .filters: ["--select"]
        case .extractPath: ["--output"]
        case .isForSpreadsheets: ["--spreadsheet"]
        case .comparisonKey: ["--match"]
        case .method: ["--method"]
        case .path: ["--path"]
        case .fields: ["--header"]
        case .baseline: ["--baseline"]
        }
    }
}
