/// The hosts that the URLs of rows may name.
package struct RowHosts: Equatable, Sendable {
    /// The hosts, at least one; `*` for any.
    package var list: [DeclaredHost]
    /// True if they may be on this machine and in networks that are not the public Internet.
    package var allowsPrivate: Bool

    package init(_ list: [DeclaredHost], allowsPrivate: Bool = false) {
        self.list = list
        self.allowsPrivate = allowsPrivate
    }

    /// Returns true if a URL may lead to addresses outside the public Internet.
    ///
    /// A list that has the very address, or the name of this machine, means it. A name means no address: its
    /// owner decides where it leads to.
    package func allowsPrivate(_ url: DeclaredURL) -> Bool {
        allowsPrivate || (url.isAddress || url.isThisMachine) && list.contains { $0.names(url) }
    }
}
