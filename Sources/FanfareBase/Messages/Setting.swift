/// A setting that a message can name; its raw value is the name by which a program knows it.
///
/// Below the command line a message spells no option: it names one of these, and the code that
/// shows the message decides how its readers name them (`Naming`). A message about one value of a
/// setting, as about an option that says no, has the value behind the name.
package enum Setting: String, CaseIterable, Sendable {
    // The words that people give a job.
    case jobName = "Configuration.name"
    case jobNote = "Configuration.note"

    // The other machines.
    case cluster = "Configuration.cluster"
    case clusterJob = "ClusterOptions.job"
    case renewedPolicy = "ClusterDecision.renewPolicy"
    case removesUnfinishedJobs = "ClusterControl.remove(isUnfinishedToo: true)"
    case freesName = "ClusterControl.remove(freesName: true)"

    // The reading of rows.
    case format = "RowOptions.format"
    case encoding = "RowOptions.encoding"
    case delimiter = "RowOptions.delimiter"
    case quotes = "RowOptions.quotes"
    case noHeader = "RowOptions.hasHeader = false"
    case columns = "RowOptions.columns"
    case mapping = "RowOptions.mapping"
    case routeWords = "RowOptions.providerWords"
    case deduplication = "RowOptions.deduplication"
    case suppressions = "RowOptions.suppressions"
    /// All that chooses rows.
    case rowConditions = "RowChoice.conditions"
    case rowSample = "RowChoice.sample"
    case rowLimit = "RowChoice.limit"
    case noValidation = "RowOptions.validates = false"
    case database = "RowInput.sqlite"
    case table = "SQLiteSelection.table"
    case query = "SQLiteSelection.query"
    case seedList = "Configuration.seeds"
    case seedFailures = "SeedOptions.continuesAfterFailures"

    // The content and the recipients.
    case payload = "PayloadSource.template"
    /// Everything that gives a payload to rows without one of their own.
    case anyPayload = "Configuration.payload"
    /// The column by which rows choose their payload.
    case payloadColumn = "PayloadChoice.column"
    /// The payloads that tokens are shared out among.
    case variants = "PayloadChoice.texts"
    case provider = "ProviderOptions.provider"
    case endpoint = "ProviderOptions.endpoint"
    case environment = "Endpoint.apns"
    case topic = "ProviderOptions.topic"
    case pushType = "ProviderOptions.pushType"
    case priority = "ProviderOptions.priority"
    case expiration = "ProviderOptions.expiration"
    case collapseID = "ProviderOptions.collapseID"
    case certificate = "Credentials.certificate"
    case serviceAccount = "Credentials.serviceAccount"
    case metadataServer = "Credentials.metadataServer"
    case accessToken = "Credentials.accessToken"
    case project = "ProviderOptions.project"
    case settings = "ProviderOptions.declared(settings:)"
    case secrets = "ProviderOptions.declared(secretFiles:)"
    case allowedHosts = "ProviderOptions.allowedHosts"
    case privateHosts = "ProviderOptions.allowsPrivateHosts"
    case validatesOnly = "ProviderOptions.validatesOnly"
    case passphraseFile = "Credentials.certificate(passphraseFile:)"
    case caFile = "ProviderOptions.caFile"
    case unverifiedServer = "ProviderOptions.verifiesServer = false"
    case proxy = "ProviderOptions.proxy"
    case noProxy = "ProviderOptions.proxy = nil"
    case proxyCredentials = "Proxy.credentials"

    // The pace and the bounds.
    case lanes = "EngineOptions.lanes"
    case connections = "EngineOptions.connections"
    case delivery = "EngineOptions.delivery"
    case until = "EngineOptions.untilMilliseconds"
    case stopIf = "GuardOptions.stopIf"
    case failIf = "GuardOptions.failIf"
    case window = "Configuration.window"
    case timezone = "HoursOptions.timezone"
    case timezoneColumn = "HoursOptions.timezoneColumn"

    // The output.
    case reportPath = "ReportOptions.path"
    case reportSplit = "ReportOptions.splitBytes"
    case reportToken = "ReportOptions.token"
    case unregisteredPath = "ReportOptions.unregisteredPath"
    case retryRowsPath = "ReportOptions.retryRowsPath"
    case carriedColumns = "ReportOptions.carriedColumns"
    case isOrdered = "ReportOptions.isOrdered"
    case resumes = "ReportOptions.resumes"
    case overwrites = "ReportOptions.overwrites"
    case durability = "ReportOptions.durability"
    case logPath = "LogOptions.path"

    // Reports that are read back.
    case filters = "ReportExtract.Settings.filters"
    case extractPath = "ReportExtract.Settings.path"
    case isExtractOrdered = "ReportExtract.Settings.isOrdered"
    case isForSpreadsheets = "ReportExtract.Settings.isForSpreadsheets"
    case comparisonKey = "ReportComparison.key"

    // Load tests.
    case httpVersion = "LoadOptions.versions"
    case method = "LoadRequest.method"
    case path = "LoadRequest.path"
    case fields = "LoadRequest.fields"
    case baseline = "LoadBaseline.name"
    case history = "LoadHistory.name"
    case loadConditions = "LoadOptions.failIf"
}
