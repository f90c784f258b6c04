internal import COpenSSL

/// OpenSSL's errors from one failed call: its thread's whole error queue, as a value.
///
/// The queue belongs to the thread and outlives the call that filled it. So every call that can fail
/// is framed: `clear` before, `drain` after. Otherwise one session's fault is found by another.
struct ErrorQueue {
    struct Entry {
        var library: Int32
        var reason: Int32
        var text: String
    }

    /// The entries, oldest first: the first one is the cause, and the others have passed it on.
    private(set) var entries: [Entry] = []

    static func clear() {
        ERR_clear_error()
    }

    /// Takes everything out of this thread's queue.
    static func drain() -> ErrorQueue {
        var queue = ErrorQueue()
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        while true {
            let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
            if code == 0 { return queue }
            var text =
                unsafe ERR_reason_error_string(code).map(String.init(cString:))
                ?? "error \(code)"
            if flags & ERR_TXT_STRING != 0, let data = unsafe data, unsafe data.pointee != 0 {
                text += unsafe " (\(String(cString: data)))"
            }
            queue.entries.append(
                Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
        }
    }

    func contains(library: Int32, reason: Int32) -> Bool {
        entries.contains { $0.library == library && $0.reason == reason }
    }

    /// The name of the alert that the peer has sent, if it has sent one.
    var receivedAlert: String? {
        for entry in entries where entry.library == ERR_LIB_SSL {
            let code = entry.reason - SSL_AD_REASON_OFFSET
            guard code >= 0, code < 256 else { continue }
            // OpenSSL 3.0 has these two of TLS 1.3 without names (RFC 8446 §6.2).
            if code == TLS13_AD_MISSING_EXTENSION { return "missing extension" }
            if code == TLS13_AD_CERTIFICATE_REQUIRED { return "certificate required" }
            return unsafe SSL_alert_desc_string_long(code).map(String.init(cString:))
        }
        return nil
    }

    /// OpenSSL's own words, the cause first.
    var text: String {
        var texts: [String] = []
        for entry in entries where !texts.contains(entry.text) && texts.count < 3 {
            texts.append(entry.text)
        }
        return texts.isEmpty ? "no reason given" : texts.joined(separator: "; ")
    }
}
