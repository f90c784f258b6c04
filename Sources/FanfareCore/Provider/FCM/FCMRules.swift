import FanfareBase

/// The demands of FCM on the values in a message, as far as we can tell without asking.
///
/// Sources: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages, and for topics and
/// colors the checks of Google's own SDKs.
package enum FCMRules {
    /// Returns the fault of a key of `data`: a phrase that follows it; nil if it may be used.
    ///
    /// Keys with these beginnings, and with `collapse_key`, never reach an Android app: its SDK keeps them.
    package static func fault(ofDataKey key: String) -> String? {
        let words = ["from", "message_type", "collapse_key"]
        let beginnings = ["google.", "gcm."]
        guard words.contains(key) || beginnings.contains(where: { key.hasPrefix($0) }) else {
            return nil
        }
        return "is reserved by FCM, as are \(words.joined(separator: ", ")) and what begins with "
            + "\(beginnings.joined(separator: " or ")); use another key"
    }

    /// True if a text is a time to live: `3600s`, `3.5s`; from nothing to 28 days.
    package static func isTimeToLive(_ text: String) -> Bool {
        guard let seconds = seconds(text) else { return false }
        return seconds <= Double(Limits.fcmTimeToLiveMax)
    }

    /// True if a text is a duration as Protocol Buffers write it, and not below zero.
    package static func isDuration(_ text: String) -> Bool { seconds(text) != nil }

    private static func seconds(_ text: String) -> Double? {
        guard text.hasSuffix("s") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 48 < 10 } }
        guard areDigits, parts.count == 1 || parts.count == 2 && parts[1].utf8.count <= 9 else {
            return nil
        }
        return Double(text.dropLast())
    }

    /// True if a text is a color: `#rrggbb`.
    package static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.hasPrefix("#")
            && text.utf8.dropFirst().allSatisfy { HeaderRules.isHexadecimalDigit($0) }
    }

    /// True if a text is the name of a topic, which has no `/topics/` before it.
    package static func isTopic(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || "-_.~%".utf8.contains(byte)
            }
    }
}
