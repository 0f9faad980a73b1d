import PatchRunner

/// What the shop sells.
struct Item: Codable, Sendable, PatchValue {
    var name: String
    var price: Double
    var grams: Int
}

/// A line of an order: an item and how many of it.
struct Line: Codable, Sendable, PatchValue {
    var item: Item
    var quantity: Int
}

/// What a customer buys.
struct Order: Codable, Sendable, PatchValue {
    var customer: String
    var country: String
    var lines: [Line]
}

/// A service's error, as customers see it.
struct ShopError: Error, CustomStringConvertible {
    let description: String
}

let catalogue = [
    Item(name: "pen", price: 9.5, grams: 20), Item(name: "ink", price: 19.99, grams: 300),
    Item(name: "a lamp with a very long name", price: 79, grams: 2400),
]
