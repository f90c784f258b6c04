import FanfareBase
import FanfareCore

/// So many per so long: `100/15s` is as fast as `400/m`.
package struct RateSetting: Equatable, Sendable {
    package let count: Int64
    package let nanoseconds: Int64

    package init(count: Int64, nanoseconds: Int64) {
        self.count = count
        self.nanoseconds = nanoseconds
    }
}

extension ValueReader {
    /// A number, a slash and a time; a bare unit is one of it.
    package static func rate(_ text: String) throws(ValueFault) -> RateSetting {
        guard let (first, second) = split(text, at: "/") else {
            let isCount = (try? count(text, in: 1...Int.max)) != nil
            throw ValueFault("has no unit", example: isCount ? "\(text)/s" : "5000/s")
        }
        let number: Int
        do throws(ValueFault) {
            number = try count(first, in: 1...Int.max)
        } catch {
            throw ValueFault("has a number before its slash that \(error.problem)")
        }
        if let unit = unitNanoseconds(second) {
            return RateSetting(count: Int64(number), nanoseconds: unit)
        }
        do throws(ValueFault) {
            let time = try duration(second)
            return RateSetting(count: Int64(number), nanoseconds: time.wholeNanoseconds)
        } catch {
            throw ValueFault(
                "has a time behind its slash that \(error.problem)", example: "\(first)/s")
        }
    }
}
