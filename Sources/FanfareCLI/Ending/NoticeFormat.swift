/// The form of what a receiver of notices gets.
package enum NoticeFormat: String, CaseIterable, Sendable {
    /// The summary as `--summary` writes it.
    case summary
    /// An object with the member `text`, as incoming webhooks of Slack, Mattermost and Google Chat
    /// take it.
    case slack
}
