import PatchRunner

/// The shop's functions. A patch can replace each of them. Five of them have bugs of a kind that has shipped before.
struct Shop: Sendable {
    let stock = StockService()
    let payment = PaymentService()

    let total: Replaceable<@Sendable (Double, Int) -> Double>
    let discount: Replaceable<@Sendable (Double, Double) -> Double>
    let taxRate: Replaceable<@Sendable (String) throws -> Double>
    let shipping: Replaceable<@Sendable (Order) -> Double>
    let available: Replaceable<@Sendable (StockService, String) -> Int>
    let reserve: Replaceable<@Sendable (StockService, String, Int) -> Bool>
    let greeting: Replaceable<@Sendable (String, String?) -> String>
    let charge: Replaceable<nonisolated(nonsending) @Sendable (String, Double) async throws -> String>
    /// Which item the first screen shows, and how many it shows on a page.
    let featured: Replaceable<@Sendable () -> Int>
    let pageSize: Replaceable<@Sendable (Int) -> Int>
    /// Called for every line of a receipt. Its original is compiled into the call site.
    let pad: PatchPoint<(String, Int) -> String>

    init(registry: PatchRegistry) throws(PatchError) {
        let payment = payment
        total = try registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
            price * Double(quantity)  // wrong for a negative quantity
        }
        discount = try registry.replaceable("Discount.apply") { (price: Double, percent: Double) -> Double in
            (price * (100 - percent)).rounded(.down) / 100  // wrong: half cents are cut off
        }
        taxRate = try registry.replaceable("Tax.rate") { (country: String) throws -> Double in
            guard let rate = ["DE": 0.19, "AT": 0.20, "FR": 0.20][country] else {
                throw ShopError(description: "no tax rate for \(country)")
            }
            return rate
        }
        shipping = try registry.replaceable("Shipping.cost") { (order: Order) -> Double in
            let grams = order.lines.reduce(0) { $0 + $1.item.grams }  // wrong: ignores the quantity
            return grams > 2000 ? 9.9 : 4.9
        }
        available = try registry.replaceable("Stock.available") { (stock: StockService, item: String) -> Int in
            stock.count(of: item)
        }
        reserve = try registry.replaceable("Stock.reserve") { (stock: StockService, item: String, count: Int) -> Bool in
            let taken = count == 0 ? stock.count(of: item) + 1 : count  // wrong: 0 reserves everything
            guard stock.count(of: item) >= count else { return false }
            stock.take(taken, of: item)
            return true
        }
        greeting = try registry.replaceable("Receipt.greeting") { (customer: String, title: String?) -> String in
            "Dear \(title ?? "") \(customer)"  // wrong: two spaces without a title
        }
        charge = try registry.replaceable("Payment.charge") {
            (customer: String, amount: Double) async throws -> String in
            try await payment.charge(customer, amount)
        }
        featured = try registry.replaceable("Home.featured") { () -> Int in 0 }
        pageSize = try registry.replaceable("Home.pageSize") { (count: Int) -> Int in count }
        pad = try registry.register(PatchPoint<(String, Int) -> String>("Receipt.pad"))
        try registry.expose(StockService.self, as: "Stock") { stock in
            stock.method("count") { (stock: StockService, item: String) in stock.count(of: item) }
        }
    }

    /// Prints the shop as a few customers see it.
    func open() async {
        let pens = Line(item: catalogue[0], quantity: 3)
        let lamps = Line(item: catalogue[2], quantity: 2)
        await sell(Order(customer: "Ada", country: "DE", lines: [pens, Line(item: catalogue[1], quantity: 1)]))
        await sell(Order(customer: "Bob", country: "AT", lines: [lamps, Line(item: catalogue[1], quantity: 2)]))
        await sell(Order(customer: "Eve", country: "DE", lines: [pens, Line(item: catalogue[2], quantity: -3)]))
        let nothing = reserve(stock, "ink", 0)
        print("  a reservation of 0 ink: \(nothing), and then there are \(available(stock, "ink"))")
    }

    private func sell(_ order: Order) async {
        print("  \(greeting(order.customer, nil))")
        var sum = 0.0
        for line in order.lines {
            let price = discount(total(line.item.price, line.quantity), 12.5)
            sum += price
            print("    \(padded("\(line.quantity) \(line.item.name)", 32))\(money(price))")
        }
        let delivery = shipping(order)
        print("    \(padded("shipping", 32))\(money(delivery))")
        do {
            let due = (sum + delivery) * (1 + (try taxRate(order.country)))
            print("    \(padded("with tax", 32))\(money(due))  \(try await charge(order.customer, due))")
        } catch {
            print("    \(error)")
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        pad(text, width) { text, width in text + String(repeating: " ", count: max(0, width - text.count)) }
    }

    private func money(_ amount: Double) -> String {
        let cents = Int((abs(amount) * 100).rounded())
        let text = "\(amount < 0 ? "-" : "")\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}
