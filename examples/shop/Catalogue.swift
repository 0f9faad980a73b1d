import PatchRunner

/// An item that the shop sells.
struct Item: Sendable, PatchStruct {
    var name: String
    var price: Double
    var grams: Int

    static let patchFields = PatchFields(
        Item.init, .field("name", \.name), .field("price", \.price), .field("grams", \.grams))
}

/// A line of an order: an item and its quantity.
struct Line: Sendable, PatchStruct {
    var item: Item
    var quantity: Int

    static let patchFields = PatchFields(Line.init, .field("item", \.item), .field("quantity", \.quantity))
}

/// An order by a customer.
struct Order: Sendable, PatchStruct {
    var customer: String
    var country: String
    var lines: [Line]

    static let patchFields = PatchFields(
        Order.init, .field("customer", \.customer), .field("country", \.country), .field("lines", \.lines))
}

/// A service's error, in the form that customers see.
struct ShopError: Error, CustomStringConvertible {
    let description: String
}

let catalogue = [
    Item(name: "pen", price: 9.5, grams: 20), Item(name: "ink", price: 19.99, grams: 300),
    Item(name: "a lamp with a very long name", price: 79, grams: 2400),
]
