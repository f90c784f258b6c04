extension LaneEnvironment {
    /// False: nothing waits in a kernel between the peer and the engine, as in a simulation.
    func hasUnread(on connection: Int) -> Bool { false }
}
