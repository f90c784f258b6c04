import FanfareCore

/// The grants under which a worker of several reads rows.
protocol RowGrants: Sendable {
    /// The rows that an earlier process of the folder has finished, and those that lanes got since.
    var handedOutCount: UInt64 { get }

    /// Says of rows in doubt that they are, and notes those that have their lines already.
    func judge(_ batch: RowBatch)

    /// Hears of the rows that each route of several has got.
    /// - Parameter rows: The rows of this run, by the place of their routes.
    func routesGot(_ rows: [UInt64])
}
