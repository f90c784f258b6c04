import Foundation
import FoundationXML
import Testing

/// A page as another parser sees it: libxml2's, which takes well-formed XML only.
final class PageTree {
    final class Element {
        let name: String
        let attributes: [String: String]
        fileprivate(set) var children: [Element] = []
        /// All text in it, in order.
        fileprivate(set) var text = ""

        init(_ name: String, _ attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }

        /// The elements of a name in it, at any depth.
        func all(_ name: String) -> [Element] {
            children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
        }

        /// The cells of a table in it, row by row.
        var cells: [[String]] {
            all("tr").map { row in
                row.children.filter { $0.attributes["aria-hidden"] == nil }.map(\.text)
            }
        }
    }

    let root: Element

    init(_ bytes: [UInt8]) throws {
        let parser = XMLParser(data: Data(bytes))
        let builder = Builder()
        parser.delegate = builder
        let isWellFormed = parser.parse()
        try #require(
            isWellFormed,
            "line \(parser.lineNumber): \(parser.parserError.map(String.init(describing:)) ?? "")")
        root = try #require(builder.root)
    }

    func all(_ name: String) -> [Element] { root.all(name) }

    private final class Builder: NSObject, XMLParserDelegate {
        var root: Element?
        private var open: [Element] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            let element = Element(name, attributes)
            if let parent = open.last { parent.children.append(element) } else { root = element }
            open.append(element)
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            for element in open { element.text += text }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
            qualifiedName: String?
        ) {
            open.removeLast()
        }
    }
}
