internal import CSystem

/// Files with a process's memory, which the kernel writes when it crashes: keys and tokens are in it.
package enum CoreDumps {
    /// True if the kernel may write one.
    ///
    /// If not, debuggers of the same user are kept out, too. PR_SET_DUMPABLE of prctl(2)
    package static var areAllowed: Bool {
        get { system_is_dumpable() == 1 }
        set {
            // It can only refuse other numbers.
            _ = system_set_dumpable(newValue ? 1 : 0)
        }
    }
}
