internal import PatchCrypto

/// Elements of an interface that are found by the bytes of their names, however many there are.
struct NameIndex<Element> {
    private let elements: [Element]
    private let name: (Element) -> String
    private let places: [String: Int]

    /// - Parameter name: The name of an element. Of two elements with the same name, the first is found.
    init(_ elements: [Element], by name: @escaping (Element) -> String) {
        self.elements = elements
        self.name = name
        places = Dictionary(elements.enumerated().map { (name($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    func place(of name: String) -> Int? {
        guard let place = places[name], self.name(elements[place]).isByteEqual(to: name) else { return nil }
        return place
    }

    subscript(name: String) -> Element? { place(of: name).map { elements[$0] } }
}
