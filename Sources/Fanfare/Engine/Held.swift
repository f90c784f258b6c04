/// A reference that is counted when it is taken and when it is given back, and not at each use.
///
/// Counting is an atomic operation, and the compiler counts whenever a property that holds an object
/// is used while its owner may change: eight times for a row.
@safe
struct Held<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    /// Takes hold of an object.
    init(_ object: Object) {
        unsafe reference = Unmanaged.passRetained(object)
    }

    /// Works on the object.
    @inline(__always)
    func use<R>(_ body: (Object) -> R) -> R {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }

    /// Lets go of it: once, and nothing is used after.
    func release() -> Object {
        unsafe reference.takeRetainedValue()
    }
}
