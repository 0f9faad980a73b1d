// The process of a test gets the folder of the locales, which Swift 6.2 cannot pass.
#if canImport(Glibc) && compiler(>=6.3)
    import Foundation
    import Glibc
    import PatchRunner
    import Synchronization
    import Testing
    import TestSupport

    // Each test runs in its own process, because `setlocale` and the variable for the folder of locales affect the
    // whole process.

    @Suite(.ownThreads, .locales, .needs("locales", "/usr/share/i18n/locales/tr_TR"))
    struct LocaleTests {
        @Test func aThreadsLocaleChangesNothing() async {
            await #expect(processExitsWith: .success) { [folder = Locales.folder as String] in
                try await Locales.each(in: folder) { locale in
                    let answers = try Answers()
                    useInThread(locale)
                    #expect(point == ",")
                    answers.expectThoseOfC(in: "a thread of \(locale)")
                    useInThread(nil)
                }
            }
        }

        @Test func theProcesssLocaleChangesNothing() async {
            await #expect(processExitsWith: .success) { [folder = Locales.folder as String] in
                try await Locales.each(in: folder) { locale in
                    let answers = try Answers()
                    answers.expectThoseOfC(in: "C")
                    unsafe setlocale(LC_ALL, locale)
                    #expect(point == ",")
                    answers.expectThoseOfC(in: locale)
                    // A script that is compiled at that moment.
                    try Answers().expectThoseOfC(in: locale)
                    unsafe setlocale(LC_ALL, "C")
                }
            }
        }

        @Test func theAppKeepsItsLocale() async {
            await #expect(processExitsWith: .success) { [folder = Locales.folder as String] in
                try await Locales.each(in: folder) { locale in
                    unsafe setlocale(LC_ALL, locale)
                    try AppPlaces.expectItsLocale()
                    unsafe setlocale(LC_ALL, "C")
                    useInThread(locale)
                    try AppPlaces.expectItsLocale()
                    useInThread(nil)
                }
            }
        }

        @Test func theAppMayChangeItsLocaleDuringACall() async {
            await #expect(processExitsWith: .success) { [folder = Locales.folder as String] in
                try await Locales.each(in: folder) { locale in
                    let harness = try Harness()
                    let text = try harness.registry.replaceable("T.text") { (ofThread: Bool) -> String in
                        if ofThread {
                            useInThread(locale)
                        } else {
                            unsafe setlocale(LC_ALL, locale)
                        }
                        return point
                    }
                    try harness.apply(
                        """
                        patch.replace("T.text", function(original, ofThread)
                          return 9.25 .. original(ofThread) .. 9.25
                        end)
                        """, replaces: ["T.text"])
                    for ofThread in [false, true] {
                        unsafe setlocale(LC_ALL, "C")
                        useInThread(nil)
                        #expect(point == ".")
                        #expect(text(ofThread) == "9.25,9.25")
                        #expect(point == ",")
                    }
                    useInThread(nil)
                    unsafe setlocale(LC_ALL, "C")
                }
            }
        }

        @Test func anAsynchronousCallGoesOnInTheCLocale() async {
            await #expect(processExitsWith: .success) { [folder = Locales.folder as String] in
                unsafe setenv("LOCPATH", folder, 1)
                unsafe setlocale(LC_ALL, "de_DE.UTF-8")
                let harness = try Harness()
                let points = Points()
                let text = try harness.registry.replaceable("T.text") { (x: Double) async -> String in
                    points.note()
                    try? await Task.sleep(for: .milliseconds(2))
                    points.note()
                    return "\(x)"
                }
                try harness.apply(
                    """
                    patch.replace("T.text", function(original, x)
                      local before = tostring(x)
                      return before .. " " .. original(x) .. " " .. x .. " " .. tostring(tonumber("9,25"))
                    end)
                    """, replaces: ["T.text"])
                for _ in 0..<20 {
                    #expect(await text(9.25) == "9.25 9.25 9.25 nil")
                    points.note()
                }
                #expect(points.all == Array(repeating: ",", count: 60))
            }
        }
    }

    /// The decimal separator of the thread's locale.
    private var point: String { unsafe String(cString: localeconv().pointee.decimal_point) }

    /// Gives the thread its own locale, or the process's locale again.
    private func useInThread(_ locale: String?) {
        let all: Int32 = 0x1FBF  // LC_ALL_MASK
        let ofProcess = unsafe locale_t(bitPattern: -1)  // LC_GLOBAL_LOCALE
        let new = unsafe locale.map { unsafe newlocale(all, $0, nil) } ?? ofProcess
        let before = unsafe uselocale(new)
        if unsafe before != ofProcess { unsafe freelocale(before) }
    }

    /// The decimal separators at places in the app.
    private final class Points: Sendable {
        private let noted = Mutex<[String]>([])
        func note() { noted.locked { $0.append(point) } }
        var all: [String] { noted.locked { $0 } }
    }

    /// Makes locales in a folder, once for all tests of a suite.
    private struct Locales: SuiteTrait, TestScoping {
        /// The folder, in the tests' own process.
        @TaskLocal static var folder = ""
        private static let names = ["de_DE.UTF-8", "tr_TR.ISO-8859-9"]

        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            let folder = try await OwnThreads.run { Result { try Self.make() } }.get()
            try await Self.$folder.withValue(folder.path) { try await function() }
        }

        private static func make() throws -> TestFolder {
            let folder = try TestFolder()
            for name in names {
                let parts = name.split(separator: ".").map(String.init)
                let run = try Tool.run("/usr/bin/localedef", ["-i", parts[0], "-f", parts[1], folder.at(name)])
                try #require(folder.exists("\(name)/LC_CTYPE"), "localedef: \(run.error)")
            }
            return folder
        }

        /// Runs a body for each locale, on a thread without other work.
        static func each(in folder: String, _ body: @escaping @Sendable (String) throws -> Void) async throws {
            unsafe setenv("LOCPATH", folder, 1)
            for name in names { try await OwnThreads.run { Result { try body(name) } }.get() }
        }
    }

    extension Trait where Self == Locales {
        fileprivate static var locales: Self { Self() }
    }

    /// A script's result that depends on the C library's locale, and the expected result.
    private struct Answers {
        private static let expected: [(script: String, answer: String)] = [
            (#""T " .. x"#, "T 9.25"),
            (#"tostring(x)"#, "9.25"),
            (#"("%.2f %5.1e %g"):format(x, x, x)"#, "9.25 9.2e+00 9.25"),
            (#"table.concat({x, 2.5}, " ")"#, "9.25 2.5"),
            (#"tostring(tonumber("9.25"))"#, "9.25"),
            (#"tostring(tonumber("9,25"))"#, "nil"),
            (#"tostring(math.type("9.25" * 1))"#, "float"),
            (#"tostring(0.1 + load_time)"#, "0.6"),
            (#"tostring("a" < "B") .. tostring("\xe7" < "d")"#, "falsefalse"),
            (#"sorted("b", "\xc3\xa4", "a", "B")"#, "42 61 62 c3a4"),
            (#"hex(("a\xe7\xdd1"):match("%a+"))"#, "61"),
            (#"tostring(("\xe7"):find("[%w%p]"))"#, "nil"),
            (#"hex(("i\xe7"):upper())"#, "49e7"),
            (#"hex(("I\xc7"):lower())"#, "69c7"),
            (#"("%a"):format(x)"#, "0x1.28p+3"),
            (#"hex(("%q"):format("\x80"))"#, "228022"),
            (#"("%q"):format(x)"#, "0x1.28p+3"),
            (#"select(2, pcall(error, x))"#, "9.25"),
        ]
        private let answers: @Sendable (Double) -> String
        private let harness: Harness

        init() throws {
            harness = try Harness()
            let function = try harness.registry.replaceable("T.answers") { (x: Double) -> String in "" }
            answers = { function($0) }
            try harness.apply(
                """
                local load_time = tonumber("0.5")
                local function hex(s)
                  return (s:gsub("[^\\n]", function(c) return ("%02x"):format(c:byte()) end))
                end
                local function sorted(...)
                  local list = {...}
                  table.sort(list)
                  for i, s in ipairs(list) do list[i] = hex(s) end
                  return table.concat(list, " ")
                end
                patch.replace("T.answers", function(original, x)
                  return table.concat({
                    \(Self.expected.map { "(\($0.script))" }.joined(separator: ",\n"))
                  }, "\\n")
                end)
                """, replaces: ["T.answers"])
        }

        func expectThoseOfC(in place: String) {
            let lines = answers(9.25).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == Self.expected.count, "in \(place): \(harness.failures)")
            for (line, (script, answer)) in zip(lines, Self.expected) {
                #expect(line == answer, "\(script) in \(place)")
            }
        }
    }

    /// The places where the app's own code runs during a call.
    private enum AppPlaces {
        private struct TextError: Error, CustomStringConvertible {
            var description: String { point }
        }
        private final class Cart: PatchObject, Sendable {
            let points: Points
            init(_ points: Points) { self.points = points }
            deinit { points.note() }
        }

        static func expectItsLocale() throws {
            let points = Points()
            let registry = PatchRegistry()
            let runner = PatchRunner(
                registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), limits: .patient,
                onEvent: { _ in points.note() })
            let outer = try registry.replaceable("T.outer") { (x: Double) -> String in
                points.note()
                return ""
            }
            let inner = try registry.replaceable("T.inner") { (x: Double) -> Double in
                points.note()
                return x
            }
            _ = try registry.replaceable("T.both") { (x: Double) -> String in
                let answer = inner(x)
                points.note()
                return "\(answer)"
            }
            _ = try registry.replaceable("T.cart") { () -> Cart in Cart(points) }
            _ = try registry.replaceable("T.fails") { () throws -> Double in throw TextError() }
            try registry.expose(Cart.self) { $0.method("look") { (cart: Cart) in cart.points.note() } }
            let patch = try runner.load(
                try Harness.verified(
                    """
                    patch.replace("T.inner", function(original, x) return original(tonumber(tostring(x))) end)
                    patch.replace("T.outer", function(original, x)
                      log.info(tostring(x))
                      original(x)
                      host.call("T.cart"):look()
                      local _, failure = pcall(host.call, "T.fails")
                      return failure.message .. " " .. x .. " " .. host.call("T.both", x) .. " " .. x
                    end)
                    """, replaces: ["T.inner", "T.outer"]))
            try runner.activate(patch)
            #expect(outer(9.25) == ", 9.25 9.25 9.25")
            points.note()
            // The events about loading, too.
            #expect(points.all.count >= 8)
            #expect(Set(points.all) == [","])
        }
    }
#endif
