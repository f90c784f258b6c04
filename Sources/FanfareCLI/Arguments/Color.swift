/// Returns true if text for a stream may be colored.
///
/// Only a terminal gets color. `noColor` is the variable `NO_COLOR`: any value but the empty one
/// forbids color. `term` is the variable `TERM`: a terminal without one, or with `dumb`, is not
/// known to understand color.
///
/// Source: no-color.org
package func effectiveColor(isTerminal: Bool, noColor: String?, term: String?) -> Bool {
    guard isTerminal, noColor ?? "" == "" else { return false }
    guard let term, !term.isEmpty else { return false }
    return term != "dumb"
}
