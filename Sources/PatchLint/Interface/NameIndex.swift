internal import PatchCrypto

/// Elements of an interface that are found by the bytes of their names, however many there are.
struct NameIndex<Element> {
    private let elements: [Element]
    private let places: [ExactString: Int]

    /// - Parameter name: The name of an element. Of two elements with the same name, the first is found.
    init(_ elements: [Element], by name: (Element) -> String) {
        self.elements = elements
        let names = elements.enumerated().map { (ExactString(name($1)), $0) }
        places = Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    func place(of name: String) -> Int? { places[ExactString(name)] }

    subscript(name: String) -> Element? { place(of: name).map { elements[$0] } }
}

extension NameIndex: Sendable where Element: Sendable {}
