import Fanfare
import FanfareBase
import FanfareCore

/// A job on a server.
struct ClusterJobAddress: Equatable, Sendable {
    let server: String
    let job: String
}

/// The address of a job that several machines share: that of the server, a slash, and the job's name.
///
/// ```
///  postgresql://user@host:5432/database/job?sslmode=disable
///  host=/run/postgresql dbname=push/job
/// ```
///
/// The job's name is percent-encoded where it has to be, as the rest of a URI is. The other parts stay as they are: libpq
/// reads them.
extension ValueReader {
    /// A server with the name of a job behind it.
    static func clusterJob(_ text: String) throws(ValueFault) -> ClusterJobAddress {
        // First of all, since other faults show the text.
        _ = try clusterServer(text)
        let (server, job) =
            text.contains("://") ? try jobInURI(text) : try jobBehindWords(text)
        guard let name = percentDecoded(job) else {
            throw ValueFault(
                "has a % in the job's name that is not followed by two hexadecimal digits; a % itself is %25"
            )
        }
        if let fault = LabelText.fault(name, bytesMax: Limits.jobNameBytesMax) {
            throw ValueFault("names a job whose name \(fault)")
        }
        return ClusterJobAddress(server: server, job: name)
    }

    private static func jobInURI(
        _ text: String
    ) throws(ValueFault) -> (server: String, job: String) {
        guard let (scheme, behind) = text.parts(at: "://") else {
            throw ValueFault("names no job behind the database")
        }
        let rest = behind.unicodeScalars[...]
        // The options of an address stay with the server.
        let path = rest.prefix { $0 != "?" }
        let options = rest[path.endIndex...]
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let host = parts[0].split(separator: "@", omittingEmptySubsequences: false).last ?? parts[0]
        guard host.count(where: { $0 == "[" }) == host.count(where: { $0 == "]" }) else {
            throw ValueFault("has an IPv6 address without both of its brackets, as in [::1]:5432")
        }
        guard parts.count == 3, !parts[2].isEmpty else {
            if options.contains("/") {
                throw ValueFault(
                    "has its job behind the options; it stands before the ?, as in "
                        + "postgresql://HOST/DATABASE/JOB?sslmode=disable")
            }
            throw ValueFault(
                "names no job behind the database: write postgresql://HOST/DATABASE/JOB")
        }
        guard !parts[1].isEmpty else {
            throw ValueFault(
                "names no database before the job: write postgresql://HOST/DATABASE/JOB")
        }
        let server =
            "\(scheme)://\(Substring(parts[0]))/\(Substring(parts[1]))\(Substring(options))"
        return (server, String(Substring(parts[2])))
    }

    private static func jobBehindWords(
        _ text: String
    ) throws(ValueFault) -> (server: String, job: String) {
        let name = text.nameIndex
        guard name > text.startIndex else {
            throw ValueFault("names no job: write /JOB at its end, as in dbname=push/july")
        }
        let job = text[name...]
        // A folder of a socket, with more words behind it.
        guard !job.isEmpty, !job.utf8.contains(UInt8(ascii: "=")) else {
            throw ValueFault(
                "names no job: write /JOB at its end, as in dbname=push/july; a = in its name is %3D"
            )
        }
        return (String(text[..<text.utf8.index(before: name)]), String(job))
    }

    /// Returns text without its percent-encoding; `nil` if that is not valid, or hides something else than UTF-8.
    static func percentDecoded(_ text: String) -> String? {
        UserInfo.decoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
