import FanfareBase
import FanfareSystem
import FanfareTLS

/// A file that another program keeps an access token in, and when it was last read.
struct TokenFile: Sendable {
    let path: String
    private var status: FileStatus?
    private var token: AccessToken
    /// True if the token that was read last was handed out.
    private var isUsed = false

    /// Reads it for the first time.
    /// - Throws: `FanfareError` with code `input` or `configuration`.
    init(_ path: String) throws(FanfareError) {
        self.path = path
        // Before its content: a change between the two is seen later.
        status = try? FileDescriptor.status(of: path)
        token = try Self.read(path)
    }

    private static func read(_ path: String) throws(FanfareError) -> AccessToken {
        let content = try told(\.inputError) { () throws(TLSError) in try Secret(wholeFile: path) }
        return try AccessTokenFile.read(content, file: path)
    }

    /// The token, the first time; then the one that the file has instead.
    mutating func next() -> TokenAnswer {
        guard isUsed else {
            isUsed = true
            return .granted(token)
        }
        let status: FileStatus
        do throws(FileError) {
            status = try FileDescriptor.status(of: path)
        } catch {
            return .temporary("\(path) cannot be read: \(error.reason)", wish: nil)
        }
        guard status.isRegular else {
            return .permanent(
                "the access token of \(path) is no longer taken, and only a file can be read "
                    + "again; \(Self.advice)")
        }
        guard status != self.status else { return .permanent(unchanged) }
        let token: AccessToken
        do throws(FanfareError) {
            token = try Self.read(path)
        } catch {
            // It may be in the midst of being written.
            return .temporary(error.statement, wish: nil)
        }
        self.status = status
        guard !token.secret.isEqual(to: self.token.secret) else { return .permanent(unchanged) }
        self.token = token
        return .granted(token)
    }

    /// Returns the token that the file has by now, if that is another one than the last.
    ///
    /// A file that is gone or half written says nothing: the last token may serve, and the next look
    /// will tell.
    mutating func newer() -> AccessToken? {
        guard isUsed, let status = try? FileDescriptor.status(of: path), status.isRegular,
            status != self.status, let token = try? Self.read(path)
        else { return nil }
        self.status = status
        guard !token.secret.isEqual(to: self.token.secret) else { return nil }
        self.token = token
        return token
    }

    private var unchanged: Statement {
        "the access token in \(path) is no longer taken, and the file has no other one; "
            + "\(Self.advice)"
    }

    private static let advice: Statement =
        "write a new token to a file ('gcloud auth print-access-token' prints one), and carry on"
}

extension Secret {
    fileprivate func isEqual(to other: Secret) -> Bool {
        unsafe withBytes { bytes in
            unsafe other.withBytes { unsafe bytes.elementsEqual($0) }
        }
    }
}
