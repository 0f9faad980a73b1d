/// Takes payments. This is asynchronous, because it takes time.
actor PaymentService {
    private var receipts = 0

    func charge(_ customer: String, _ amount: Double) async throws -> String {
        try await Task.sleep(for: .milliseconds(1))
        guard amount <= 500 else { throw ShopError(description: "\(customer)'s card is declined") }
        receipts += 1
        return "receipt \(receipts)"
    }
}
