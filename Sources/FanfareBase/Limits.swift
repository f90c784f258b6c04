/// Every bound of the program, with the reason for each.
///
/// Memory is a function of these and of the windows, never of the input's length. A bound is beside its
/// users: extensions of this type are in the files `Limits*.swift` of each target.
package enum Limits {}
