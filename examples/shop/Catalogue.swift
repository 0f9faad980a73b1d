import PatchRunner

/// An item that the shop sells.
struct Item: Codable, Sendable, PatchValue {
    var name: String
    var price: Double
    var grams: Int
}

/// A line of an order: an item and its quantity.
struct Line: Codable, Sendable, PatchValue {
    var item: Item
    var quantity: Int
}

/// An order by a customer.
struct Order: Codable, Sendable, PatchValue {
    var customer: String
    var country: String
    var lines: [Line]
}

/// A service's error, in the form that customers see.
struct ShopError: Error, CustomStringConvertible {
    let description: String
}

let catalogue = [
    Item(name: "pen", price: 9.5, grams: 20), Item(name: "ink", price: 19.99, grams: 300),
    Item(name: "a lamp with a very long name", price: 79, grams: 2400),
]
