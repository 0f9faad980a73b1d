import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

extension PatchInterface {
    private struct Item: PatchStruct {
        var price: Double
        var name: String?
        static let patchFields = PatchFields(Item.init, .field("price", \.price), .field("name", \.name))
    }

    /// The interface of a small app.
    static func shop() throws -> PatchInterface {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.total") { (a: Double, b: Int) -> Double in a }
        _ = try registry.replaceable("Cart.name") { (a: String?) -> String? in a }
        _ = try registry.replaceable("Cart.clear") { () -> Void in }
        _ = try registry.replaceable("Cart.first") { () -> Item? in nil }
        return registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1"))
    }
}

/// The interface of an app: the file that is written and read, its stubs, and what has changed from one to another.
@Suite(.ownThreads) struct InterfaceTests {
    @Test func interfacesAreReadAsTheyAreWritten() throws {
        let interface = try PatchInterface.shop()
        #expect(try PatchInterface(decoding: Array(interface.json.utf8)) == interface)
        #expect(
            interface.json.contains(
                #"{"name":"Cart.total","arguments":["number","integer"],"result":"number","throws":false,"async":false}"#
            ))
        for text in [
            "", "{}", "[]", #"{"schema":"patchpack.interface/2"}"#,
            interface.json.replacingOccurrences(of: "number", with: "\u{0}"),
        ] {
            #expect(throws: PatchError.self) { try PatchInterface(decoding: Array(text.utf8)) }
        }
    }

    @Test func changesAreNamedWhatBreaksFirst() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.total") { (a: Double) -> Double in a }
        _ = try registry.replaceable("Cart.name") { (a: String?) throws -> String? in a }
        _ = try registry.replaceable("Cart.all") { () -> [Int] in [] }
        let newer = registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.4"))
        let changes = try PatchInterface.shop().changes(to: newer)
        #expect(
            changes.map(\.description) == [
                "Cart.clear is gone", "Cart.first is gone",
                "Cart.total was (number, integer) -> number and is now (number) -> number",
                "the struct Item is gone",
                "Cart.name was (string or nil) -> string or nil and is now (string or nil) throws -> string or nil",
                "Cart.all is new: () -> array of integer",
            ])
        #expect(changes.map(\.isBreaking) == [true, true, true, true, false, false])
        #expect(newer.changes(to: newer).isEmpty)
    }

    /// Apps of an earlier version marked functions as pure. No patch depends on it.
    @Test func pureFunctionsOfOlderAppsAreReadAsOthers() throws {
        func read(_ mark: String) throws -> PatchInterface {
            let function = #"{"name":"T.a","arguments":[],"result":"number","throws":false,"async":false\#(mark)}"#
            return try PatchInterface(
                decoding: Array(
                    """
                    {"schema":"patchpack.interface/1","app":"com.example.shop","appVersion":"1","functions":[\(function)],
                    "structs":[],"scalars":[],"classes":[{"name":"Box","methods":[\(function)]}]}
                    """.utf8))
        }
        let (marked, plain) = (try read(#","pure":true"#), try read(""))
        #expect(marked == plain)
        #expect(marked.json == plain.json && marked.stubs == plain.stubs)
        #expect(marked.changes(to: plain).isEmpty)
    }

    @Test func scalarsAreReadAndCompared() throws {
        func interface(_ scalars: [PatchInterface.Scalar]) -> PatchInterface {
            PatchInterface(
                app: "com.example.shop", appVersion: "1", functions: [], structs: [], scalars: scalars, classes: [])
        }
        let older = interface([
            .init(name: "Meal", type: "string", cases: [.string("lunch"), .string("din\"ner")]),
            .init(name: "Size", type: "integer", cases: [.integer(-1), .integer(9)]),
            .init(name: "Date", type: "number", cases: []),
        ])
        #expect(try PatchInterface(decoding: Array(older.json.utf8)) == older)
        let newer = interface([
            .init(name: "Meal", type: "string", cases: [.string("lunch"), .string("brunch")]),
            .init(name: "Size", type: "string", cases: []),
        ])
        #expect(
            older.changes(to: newer).map { "\($0.isBreaking) \($0.description)" } == [
                #"true the case "din\"ner" of Meal is gone"#, "true Size was integer and is now string",
                #"false the case "brunch" of Meal is new"#,
            ])
        #expect(older.stubs.contains(#"---@alias Meal "lunch" | "din\"ner""#))
        #expect(older.stubs.contains("---@alias Size -1 | 9\n") && older.stubs.contains("---@alias Date number\n"))
        for (old, new) in [
            (#""type":"string""#, #""type":"Meal""#), (#""name":"Meal""#, #""name":"Size""#),
            (#""name":"Meal""#, #""name":"string""#), ("-1", "true"), ("-1", "1.5"),
        ] {
            let broken = older.json.replacingOccurrences(of: old, with: new)
            #expect(throws: PatchError(.malformed, "")) { try PatchInterface(decoding: Array(broken.utf8)) }
        }
    }

    @Test func changesOfFieldsAreNamed() throws {
        func interface(_ fields: [(String, String)]) -> PatchInterface {
            PatchInterface(
                app: "com.example.shop", appVersion: "1", functions: [],
                structs: [.init(name: "Item", fields: fields.map { .init(name: $0, type: $1) })], classes: [])
        }
        let older = interface([("price", "number"), ("name", "string"), ("kept", "integer")])
        let changes = older.changes(
            to: interface([("kept", "integer"), ("price", "integer"), ("size", "number"), ("note", "string or nil")]))
        #expect(
            changes.map { "\($0.isBreaking) \($0.description)" } == [
                "true the field Item.price was number and is now integer", "true the field Item.name is gone",
                "true the field Item.size is new: number", "false the field Item.note is new: string or nil",
            ])
        #expect(older.changes(to: older).isEmpty)
    }

    /// A file of an app that was built with an older version of the library.
    @Test func anInterfaceWithoutStructsIsRead() throws {
        let text = try PatchInterface.shop().json.split(separator: "\n", omittingEmptySubsequences: false)
        let structs = try #require(text.firstIndex { $0.contains(#""structs""#) })
        let older = (text[..<structs] + text[(structs + 3)...]).joined(separator: "\n")
        #expect(try PatchInterface(decoding: Array(older.utf8)).structs.isEmpty)
        for (old, new) in [
            (#""name":"price","type""#, #""name":"name","type""#), (#""type":"number""#, #""type":1"#),
            (#""fields":"#, #""field":"#), (#""name":"price""#, #""name":"""#),
            (#""name":"price""#, #""name":"\u0000""#),
            (#""type":"number""#, #""type":"number\#(String(repeating: " or nil", count: 200))""#),
        ] {
            let broken = try PatchInterface.shop().json.replacingOccurrences(of: old, with: new)
            #expect(throws: PatchError(.malformed, "")) { try PatchInterface(decoding: Array(broken.utf8)) }
        }
    }

    /// Two names that are one to `==`: an `é` is one scalar, or an `e` and an accent.
    @Test func namesAreToldApartByTheirBytes() throws {
        let names = ["Caf\u{E9}", "Cafe\u{301}"]
        func read(_ names: [String]) throws -> PatchInterface {
            let fields = names.map { PatchInterface.Field(name: $0, type: "integer") }
            let scalars = names.map { PatchInterface.Scalar(name: $0, type: "string", cases: []) }
            let written = PatchInterface(
                app: "com.example.x", appVersion: "1.0", functions: [],
                structs: names.map { .init(name: $0, fields: fields) }, scalars: scalars, classes: [])
            return try PatchInterface(decoding: written.encoded())
        }
        let interface = try read(names)
        let known = KnownInterface(interface, adding: [])
        for (number, name) in names.enumerated() {
            let found = [known.structure(name)?.name, known.scalar(name)?.name].map { Array(($0 ?? "").utf8) }
            #expect(found == [Array(name.utf8), Array(name.utf8)])
            #expect(known.structure(name)?.place(of: name) == number)
            let other = names[1 - number]
            let changes = interface.changes(to: try read([name])).map { Array($0.description.utf8) }
            let gone = ["the struct \(other) is gone", "the field \(name).\(other) is gone"].map { Array($0.utf8) }
            #expect(Set(changes) == Set(gone))
        }
    }

    @Test(arguments: ["array of ", "table of ", "a table of "])
    func typesAreReadToADepth(prefix: String) {
        let text = String(repeating: prefix, count: 90) + "Item"
        var depth = 0
        var type = InterfaceType(text)
        while true {
            switch type {
            case .array(let inner), .dictionary(_, let inner), .optional(let inner):
                type = inner
                depth += 1
                continue
            case .named: break
            }
            break
        }
        #expect(depth == 32)
        #expect(InterfaceType(text).description == text)
        #expect(InterfaceType("Item or nil or nil").description == "Item or nil or nil")
    }
}
