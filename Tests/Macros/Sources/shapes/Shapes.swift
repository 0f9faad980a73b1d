import Foundation
import PatchCrypto
import PatchRunner

// Every shape of a function that can be @Patchable. Main.swift calls those of the types that it registers; of the
// others, it is enough that they compile.

@PatchStruct struct Item: Equatable {
    var name: String
    var price: Double
}

@PatchStruct public struct Order: Sendable {
    static let most = 9
    let item: Item
    var count: Int { didSet { changes += 1 } }
    var notes: [String]
    var `default`: Bool?
    @PatchOmitted var changes = 0
    var total: Double { item.price * Double(count) }
    private(set) var price: Double {
        get { item.price }
        set { count = Int(newValue) }
    }
}

// swift-format-ignore: UseSynthesizedInitializer
@PatchStruct private struct Hidden {
    var value: Int
    init(value: Int) { self.value = value }
}

enum Size: String, Codable, PatchValue { case small, large }

enum Trouble: Error, ExpressibleByScriptError, Equatable {
    case empty, patched
    init(thrownByPatch: any Error) { self = .patched }
}

final class Basket: PatchObject {
    let label = "basket"
}

@Patches final class Cart {
    private var factor = 2.0
    init() {}

    @Patchable func total(price: Double, quantity: Int) -> Double { price * Double(quantity) * factor }
    @Patchable("Cart.totalOfOne") func total(price: Double) -> Double { price }
    @Patchable func nothing() { factor = 2 }
    @Patchable func noResult(_ value: Int) { factor = Double(value) }
    @Patchable func unlabelled(_ value: Int, _ other: Int) -> Int { value + other }
    @Patchable func withDefault(value: Int = 3) -> Int { value }
    @Patchable func throwing(_ value: Int) throws -> Int {
        guard value > 0 else { throw CancellationError() }
        return value
    }
    @Patchable func typed(_ value: Int) throws(Trouble) -> Int {
        if value == 0 { throw .empty }
        return value
    }
    @Patchable func never(_ value: Int) throws(Never) -> Int { value }
    @Patchable func ofStruct(_ item: Item) -> Item { item }
    @Patchable func ofOrder(_ order: Order) -> Order { order }
    @Patchable func ofEnum(_ size: Size) -> Size { size }
    @Patchable func ofObject(_ basket: Basket) -> String { basket.label }
    @Patchable func optional(_ value: Int?) -> Int? { value }
    @Patchable func collections(_ list: [Int], _ table: [String: Int]) -> [Int] { list + table.values }
    @Patchable private func hidden(_ value: Int) -> Int { value }
    func callsHidden() -> Int { hidden(1) }
    @Patchable public func six(_ a: Int, b: Int, c: Int, d: Int, e: Int, f: Int) -> Int {
        a + b + c + d + e + f
    }
    @Patchable static func ofType(_ value: Int) -> Int { value }
    @Patchable class func ofClass(_ value: Int) -> Int { value }
    @Patchable func `default`(_ in: Int) -> Int { `in` }
    @Patchable func later(_ value: Int) async -> Int {
        await Task.yield()
        return value
    }
    @Patchable func laterThrowing(_ value: Int) async throws -> Int {
        if value == 0 { throw CancellationError() }
        return value
    }
    @Patchable func laterTyped(_ value: Int) async throws(Trouble) -> Int {
        if value == 0 { throw .empty }
        return value
    }
    @Patchable func laterNothing(_ value: Int) async { factor = Double(value) }
    @Patchable @discardableResult func discarded(_ value: Int) -> Int { value }
    @Patchable func branches(_ value: Int) -> String {
        if value > 1 { return "many" }
        switch value {
        case 0: return "none"
        default: return "one"
        }
    }
}

extension Cart {
    @Patchable func inExtension(_ value: Int) -> Int { value }
    @available(macOS 26, *) @Patchable func available(_ value: Int) -> Int { value }
}

@Patches struct Counter {
    var count = 0
    @Patchable mutating func add(_ value: Int) -> Int {
        count += value
        return count
    }
    @Patchable func read() -> Int { count }
}

@Patches public enum Prices {
    @Patchable static func price(of name: String) -> Double { Double(name.utf8.count) }
    @Patches enum Nested {
        @Patchable static func deep(_ value: Int) -> Int { value }
    }
}

@Patches actor Warehouse {
    private var stock = 5
    @Patchable func left(_ taken: Int) -> Int {
        stock -= taken
        return stock
    }
    @Patchable func wait(_ taken: Int) async -> Int {
        stock -= taken
        await Task.yield()
        return stock
    }
    @Patchable nonisolated func name(_ value: String) -> String { value }
}

@MainActor @Patches final class Screen {
    private var count = 1
    @Patchable func title(_ value: Int) -> Int { value * count }
    @Patchable func load(_ value: Int) async -> Int {
        MainActor.preconditionIsolated()
        return value * count
    }
}

@Patches class Base {
    init() {}
    @Patchable func overridden(_ value: Int) -> Int { value }
}
final class Derived: Base {
    @Patchable("Derived.more") override func overridden(_ value: Int) -> Int { super.overridden(value) * 2 }
}

private enum Cache {
    @PatchStruct struct Entry {
        var count: Int
        @Patchable func doubled() -> Int { count * 2 }
    }
}

public extension Prices {
    @PatchStruct struct Tag {
        var text: String
    }
}

@available(macOS 26, *) @PatchStruct struct Newer {
    var count: Int
}

enum Store {
    /// It hides the protocol of this name.
    enum Error: Swift.Error, ExpressibleByScriptError {
        case failed
        init(thrownByPatch: any Swift.Error) { self = .failed }
    }

    @Patchable static func load(_ value: Int) throws(Error) -> Int { value }
    @Patchable static func loadAny(_ value: Int) throws(any Swift.Error) -> Int { value }
}

@Patches final class Old {
    @available(*, deprecated, message: "use another") @Patchable func total(_ value: Int) -> Int { value }
}

@PatchStruct struct Priced {
    var `unit price`: Double
    var `1st`: Int
    var `default`: Int
}

@available(*, deprecated, message: "use another") @PatchStruct struct Former {
    var count: Int
}
