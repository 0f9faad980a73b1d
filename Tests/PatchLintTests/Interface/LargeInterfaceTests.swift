import PatchRunner
import TestSupport
import Testing

@testable import PatchLint

/// Interfaces with very many names. With a search for each name, these would take minutes.
@Suite(.ownThreads) struct LargeInterfaceTests {
    private static func interface(
        _ structs: [PatchInterface.Struct] = [], scalars: [PatchInterface.Scalar] = [],
        classes: [PatchInterface.Class] = []
    ) -> PatchInterface {
        .init(
            app: "com.example.x", appVersion: "1.0", functions: [], structs: structs, scalars: scalars,
            classes: classes)
    }

    @Test func manyNamesAreCompared() {
        func cases(_ numbers: Range<Int>) -> PatchInterface {
            Self.interface(scalars: [.init(name: "E", type: "string", cases: numbers.map { .string("\($0)") })])
        }
        #expect(
            cases(0..<60_000).changes(to: cases(1..<60_001)).map(\.description) == [
                "the case \"0\" of E is gone", "the case \"60000\" of E is new",
            ])
        func structs(_ numbers: Range<Int>) -> PatchInterface {
            Self.interface(
                numbers.map { .init(name: "S\($0)", fields: []) } + [
                    .init(name: "Wide", fields: numbers.map { .init(name: "f\($0)", type: "integer") })
                ], classes: numbers.map { .init(name: "C\($0)", methods: []) })
        }
        #expect(
            structs(0..<20_000).changes(to: structs(1..<20_001)).map(\.description) == [
                "the struct S0 is gone", "the field Wide.f0 is gone",
                "the field Wide.f20000 is new: integer", "the class C0 is gone",
                "the struct S20000 is new", "the class C20000 is new",
            ])
    }

    @Test func stubsDoNotRepeatManyClasses() {
        let classes = (0..<2000).map { PatchInterface.Class(name: "C\($0)", methods: []) }
        let fields = (0..<2000).map { PatchInterface.Field(name: "f\($0)", type: "Unknown\($0)") }
        let stubs = Self.interface([.init(name: "S", fields: fields)], classes: classes).stubs
        #expect(stubs.utf8.count < 500_000)
        #expect(stubs.contains("---@alias Unknown7 patchpack.object"))
        let few = Self.interface([.init(name: "S", fields: fields)], classes: Array(classes.prefix(2))).stubs
        #expect(few.contains("---@alias Unknown7 C0|C1"))
    }
}
