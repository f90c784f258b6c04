import Fanfare
import FanfareBase

/// The values of an option for all routes of a job, and for single ones: `--endpoint URL`,
/// `--endpoint fcm=URL`.
package struct ByRoute<Value: Sendable>: Sendable {
    /// The value for routes without one of their own.
    let general: Value?
    private let own: [Provider: Value]

    /// - Parameter values: The values in the given order: of several for the same route the last
    ///   one counts.
    init(_ values: [RouteValue<Value>]) {
        general = values.last { $0.provider == nil }?.value
        var own: [Provider: Value] = [:]
        for value in values {
            if let provider = value.provider { own[provider] = value.value }
        }
        self.own = own
    }

    /// The value for this route alone.
    subscript(own provider: Provider) -> Value? { own[provider] }

    /// The value for this route, or else the general one.
    subscript(provider: Provider) -> Value? { own[provider] ?? general }

    /// The routes of which something was said by name, in the order of all providers.
    var providers: [Provider] {
        let described = own.keys.filter { !Provider.allCases.contains($0) }
        return Provider.allCases.filter { own[$0] != nil }
            + described.sorted { $0.rawValue < $1.rawValue }
    }
}

/// A value, and the route that it is for.
struct RouteValue<Value: Sendable>: Sendable {
    /// `nil` for none in particular.
    var provider: Provider?
    var value: Value
}

/// The name of a provider before a value: `fcm=`.
enum RouteLead {
    /// Splits a text into the name of a provider, with the sign behind it, and the rest.
    /// - Parameters:
    ///   - text: The text.
    ///   - takesAnyName: True to take any name that a file may have; false to take only known
    ///     names, since the text may be a path.
    /// - Returns: The provider, if there is one, its name with the sign, and the rest.
    static func split(
        _ text: String, takesAnyName: Bool = false
    ) -> (provider: Provider?, lead: String, rest: String) {
        guard let (name, rest) = text.parts(at: "=") else { return (nil, "", text) }
        if let provider = Provider(rawValue: name) { return (provider, name + "=", rest) }
        let isName =
            takesAnyName
            ? name.utf8.first.map { $0 &- 97 < 26 } == true
                && name.utf8.allSatisfy { $0 &- 97 < 26 || $0 &- 48 < 10 || "-_".utf8.contains($0) }
            : ShippedProvider(named: name) != nil
        return isName ? (.declared(name), name + "=", rest) : (nil, "", text)
    }

    /// Returns true if the name of a provider stands behind a comma of a value: `10/s,fcm=100/s`.
    ///
    /// Only known names count, since the value may be a path.
    static func namesAnother(_ value: String) -> Bool {
        value.split(separator: ",").dropFirst().contains { split(String($0)).provider != nil }
    }
}

extension ValueType {
    /// A value that the name of a provider may stand before: `fcm=9000/s`.
    static func ofRoute<Wrapped>(
        _ type: ValueType<Wrapped>
    ) -> ValueType where Value == RouteValue<Wrapped> {
        ValueType(
            "[PROVIDER=]" + type.placeholder, form: type.form == .file ? .routeFile : type.form
        ) { text throws(ValueFault) in
            let (provider, lead, rest) = RouteLead.split(
                text, takesAnyName: type.form != .file)
            if provider != nil, RouteLead.namesAnother(rest) {
                throw ValueFault(
                    "names several providers: give the option once for each",
                    example: lead + rest.prefix { $0 != "," })
            }
            do throws(ValueFault) {
                return RouteValue(provider: provider, value: try type.read(rest))
            } catch {
                throw ValueFault(
                    error.problem, example: error.example.map { lead + $0 },
                    isSecret: error.isSecret)
            }
        }
    }
}

extension OptionValue {
    /// A value for all routes, or for single ones.
    static func byRoute<Wrapped>(
        _ type: ValueType<Wrapped>
    ) -> OptionValue where Value == ByRoute<Wrapped> {
        let values = OptionValue<[RouteValue<Wrapped>]>.values(.ofRoute(type))
        return OptionValue(arity: .byRoute, type: values.type) { ByRoute(values.make($0)) }
    }
}
