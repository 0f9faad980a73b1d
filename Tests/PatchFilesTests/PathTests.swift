import TestSupport
import Testing

@testable import PatchFiles

@Suite(.ownThreads) struct PathTests {
    @Test(arguments: [
        ("a/b.lua", "b.lua", "a"), ("b.lua", "b.lua", "."), ("/b", "b", "/"), ("a//b/", "b", "a/"), ("./a", "a", "."),
        ("/", ".", "/"),
    ])
    func aPathHasANameAndAParent(path: String, name: String, parent: String) {
        #expect(Path(path).name.description == name)
        #expect(Path(path).parent.description == parent)
    }

    @Test func pathsAreTakenApart() throws {
        func names(_ names: String...) -> [[UInt8]] { names.map { Array($0.utf8) } }
        let working = try #require(Path.current)
        #expect(Path("a/./b//c/").components.map { Array($0) } == names("a", "b", "c"))
        #expect(Path("/").components.isEmpty && Path(".").components.isEmpty && Path("..").components.count == 1)
        #expect(Path("/a/../b").absoluteComponents == names("b") && Path("/../a").absoluteComponents == names("a"))
        #expect(Path("a/b").absoluteComponents == working.absoluteComponents + names("a", "b"))
        #expect(Path("..").absoluteComponents == working.absoluteComponents.dropLast())
        #expect(
            working.appending(Path("a/../b")).fromWorkingFolder == Path("b") && Path("a").fromWorkingFolder == Path("a")
        )
        #expect(working.fromWorkingFolder == working && Path("/none/a").fromWorkingFolder == Path("/none/a"))
    }

    @Test func pathsAreJoined() {
        #expect(Path("a").appending(Path("b")) == Path("a/b") && Path("a/").appending(Path("b")) == Path("a/b"))
        #expect(Path("").appending(Path("b")) == Path("b"))
        #expect(Path("a").parent == Path(".") && Path("/a").parent == Path("/") && Path("a/b//").parent == Path("a"))
        #expect(Path("/").parent == Path("/") && Path("//").parent == Path("/") && Path("").parent == Path("."))
        #expect(Path("-").isStandardStream && !Path("--").isStandardStream && !Path("").isStandardStream)
        #expect(Path("/a").isAbsolute && !Path("a/").isAbsolute && Path("a/").endsInSlash && !Path("/a").endsInSlash)
        #expect(Path("a.lua").ends(in: ".lua") && !Path("lua").ends(in: ".lua"))
    }
}
