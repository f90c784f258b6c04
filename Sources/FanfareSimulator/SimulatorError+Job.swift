package import Fanfare

extension SimulatorError {
    /// The error that a job ends with which was to be sent to the simulator, or the simulator itself.
    package var jobError: FanfareError {
        FanfareError(isShortage ? .output : .configuration, message: description)
    }
}
