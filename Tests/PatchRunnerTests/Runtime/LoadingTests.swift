import Foundation
import PatchCrypto
import PatchRunner
import Testing
import TestSupport

@Suite(.ownThreads) struct LoadingTests {
    private func refusal(
        of source: String, replaces: [String] = ["T.f"], others: [String: String] = [:]
    ) throws -> PatchError {
        let harness = try Harness()
        _ = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        _ = try harness.registry.replaceable("T.g") { (x: Int) -> Int in x }
        let patch = try Harness.verified(source, replaces: replaces, others: others)
        let error = try #require(throws: PatchError.self) { _ = try harness.runner.load(patch) }
        #expect(harness.events.map(\.name) == ["refused"])
        return error
    }

    @Test func loadWrongScriptOrManifestNamesReason() throws {
        #expect(try refusal(of: "return 1").message == "the manifest lists T.f, which the script does not replace")
        #expect(try refusal(of: "return 1", replaces: []).message == "the script replaces nothing")
        let unknown = try refusal(of: "patch.replace('T.x', print)", replaces: ["T.x"])
        #expect(unknown.message == "the script replaces T.x, which this app does not have")
        #expect(unknown.hint == "the app has T.f, T.g")
        let outside = try refusal(of: "patch.replace('T.g', print) patch.replace('T.f', print)")
        #expect(outside.message == "the script replaces T.g, which its manifest does not list")
        #expect(
            try refusal(of: "patch.replace('T.f\\0x', print)").message
                == "the host has no function with a zero byte in its name")
        #expect(try refusal(of: "patch.replace('T.f'").text == "main.lua:1: ')' expected near <eof>")
        #expect(
            try refusal(of: "\n\nlocal x = nil + 1").text
                == "main.lua:3: attempt to perform arithmetic on a nil value")
        #expect(try refusal(of: "\n\nerror({code = 5})").text == "main.lua:3: an error that is {code = 5}")
        #expect(try refusal(of: "while true do end").code == .scriptLimit)
        #expect(
            try refusal(of: "require 'other'", others: ["other.lua": "\nx ="]).text
                == "main.lua:1: other.lua:2: unexpected symbol near <eof>")
        #expect(try refusal(of: "require 'io'").message.contains("the patch has no script 'io'"))
        #expect(
            try refusal(of: "require 'a'", others: ["a.lua": "require 'a'"]).text
                == "main.lua:1: a.lua:1: 'a' requires itself")
    }

    @Test func requireFindsTheScriptsOfTheEnvelope() throws {
        let (harness, function) = try Harness.identity()
        try harness.apply(
            """
            local tax, more = require("lib.tax"), require "lib"
            assert(require("lib/tax") == tax and require("lib.tax") == tax)
            assert(require("nothing") == true)
            patch.replace("T.f", function(original, x) return tax.add(original(x)) + more end)
            """, replaces: ["T.f"],
            others: [
                "lib/tax.lua":
                    "loads = (loads or 0) + 1; assert(loads == 1 and ... == 'lib/tax') return {add = function(x) return x + 19 end}",
                "lib/init.lua": "return 1000", "nothing.lua": "local x = 1",
            ])
        #expect(function(1) == 1020, "\(harness.failures)")
    }

    @Test func aScriptKnowsWhatItIsAndWhere() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> String in "" }
        try harness.apply(
            """
            patch.replace("T.f", function()
              assert(host.has("T.f") and not host.has("T.g"))
              return table.concat({patch.id, patch.version, patch.app, patch.appVersion}, " ")
            end)
            """, version: 7, replaces: ["T.f"])
        #expect(function(1) == "com.example.shop.fix 7 com.example.shop 2.3.1")
    }

    @Test func thePolicyIsThePatchs() throws {
        func fault(_ patch: VerifiedPatch, time: String? = "2026-11-20T12:00:00Z", floors: [String: Int] = [:]) throws
            -> PatchError
        {
            let harness = try Harness(floors: floors, time: time)
            _ = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
            return try #require(throws: PatchError.self) { _ = try harness.runner.load(patch) }
        }
        let script = "patch.replace('T.f', print)"
        #expect(try fault(.init(script, app: "com.example.other")).message.contains("com.example.other"))
        #expect(try fault(.init(script, appVersions: "<2.3.1")).code == .policy)
        #expect(try fault(.init(script, engine: 2)).message.contains("engine level 2"))
        #expect(try fault(.init(script, expires: "2026-11-20T12:00:00Z")).message.contains("expired"))
        #expect(try fault(.init(script, expires: "2030-01-01T00:00:00Z"), time: nil).hint?.contains("clock") == true)
        #expect(
            try fault(.init(script, version: 3), floors: ["com.example.shop.fix": 4]).message.contains("minimum of 4"))
    }

    /// A runner without its own clock uses the system's.
    @Test(arguments: [(-3600, false), (3600, true)]) func aPatchExpiresByTheSystemsClock(seconds: Int, isGood: Bool)
        throws
    {
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.f") { (x: Int) -> Int in x }
        let runner = PatchRunner(registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"))
        let now = Int(Date().timeIntervalSince1970)
        let expires = try #require(Timestamp(secondsSince1970: now + seconds))
        let patch = try VerifiedPatch("patch.replace('T.f', print)", expires: expires.description)
        let fault = { () -> PatchError? in
            do throws(PatchError) { _ = try runner.load(patch) } catch { return error }
            return nil
        }()
        if isGood { #expect(fault == nil) } else { #expect(fault?.message.contains("expired") == true) }
    }

    @Test func aNewerVersionTakesTheOldersPlaceAndNoOlderOneComesBack() throws {
        let (harness, function) = try Harness.identity()
        func script(_ answer: Int) -> String { "patch.replace('T.f', function() return \(answer) end)" }
        try harness.apply(script(1), version: 1, replaces: ["T.f"])
        let two = try harness.runner.load(try Harness.verified(script(2), version: 2, replaces: ["T.f"]))
        try harness.runner.activate(two)
        #expect(function(0) == 2)
        #expect(harness.runner.active.map(\.version) == [2])
        #expect(harness.runner.minimumVersions == ["com.example.shop.fix": 2])
        let older = #expect(throws: PatchError.self) { try harness.apply(script(1), version: 1, replaces: ["T.f"]) }
        #expect(older?.code == .policy)
        let again = #expect(throws: PatchError.self) { try harness.runner.activate(two) }
        #expect(again?.code == .config)
        #expect(function(0) == 2)
        harness.runner.deactivateAll()
        #expect(function(0) == 0)
        #expect(
            harness.events.map(\.name) == [
                "loaded", "activated", "loaded", "deactivated", "activated", "refused", "refused", "deactivated",
            ])
    }

    @Test func installGoesFromBytesToAnswers() throws {
        let (harness, function) = try Harness.identity()
        var envelope = try Harness.envelope("patch.replace('T.f', function(o, x) return x + 1 end)", replaces: ["T.f"])
        try harness.runner.install(envelope, trust: PatchTrust(TestKeys.trust, scriptKeys: TestKeys.script))
        #expect(function(1) == 2)
        harness.runner.deactivateAll()
        envelope[100] ^= 1
        let error = #expect(throws: PatchError.self) {
            try harness.runner.install(envelope, trust: PatchTrust(TestKeys.trust, scriptKeys: TestKeys.script))
        }
        #expect(error?.code == .badSignature)
        #expect(function(1) == 1)
    }

    @Test func aPatchThatIsNotAppliedDoesNothingAndGoes() throws {
        let (harness, function) = try Harness.identity()
        weak var last: LoadedPatch?
        for _ in 0..<50 {
            let patch = try harness.runner.load(
                try Harness.verified("patch.replace('T.f', print)", replaces: ["T.f"]))
            last = patch
        }
        #expect(last == nil)
        #expect(function(1) == 1)
        #expect(harness.registry.state[0].patches.isEmpty)
    }

    @Test func patchesGoWithTheirRunner() throws {
        let registry = PatchRegistry()
        let function = try registry.replaceable("T.f") { (x: Int) -> Int in x }
        do {
            let runner = PatchRunner(
                registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"))
            try runner.activate(
                try runner.load(
                    try Harness.verified("patch.replace('T.f', function(o, x) return x + 1 end)", replaces: ["T.f"])))
            #expect(function(1) == 2)
        }
        #expect(function(1) == 1)
    }

    @Test func anOldHandleDoesNotCloseTheNextPatch() throws {
        let (harness, function) = try Harness.identity()
        var old: LoadedPatch? = try harness.apply(
            "patch.replace('T.f', function() return 1 end)", id: "com.example.one", replaces: ["T.f"])
        harness.runner.deactivate("com.example.one")
        try harness.apply("patch.replace('T.f', function() return 222 end)", id: "com.example.two", replaces: ["T.f"])
        #expect(function(0) == 222)
        withExtendedLifetime(old) {}
        old = nil
        #expect(function(0) == 222)
    }

    @Test func noOlderVersionSlipsInBesideANewerOne() async throws {
        for _ in 0..<60 {
            let harness = try Harness()
            let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in 0 }
            let patches = try [1, 2].map { version in
                try harness.runner.load(
                    Harness.verified(
                        "patch.replace('T.f', function() return \(version) end)", version: version, replaces: ["T.f"]))
            }
            await withTaskGroup(of: Void.self) { group in
                for patch in patches { group.addTask { try? harness.runner.activate(patch) } }
            }
            #expect(function(0) == 2)
            #expect(harness.runner.active.map(\.version) == [2])
        }
    }

    @Test func aPatchBelongsToTheRunnerThatLoadedIt() throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        let other = PatchRunner(
            registry: harness.registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"))
        let patch = try other.load(try Harness.verified("patch.replace('T.f', print)", replaces: ["T.f"]))
        let error = #expect(throws: PatchError.self) { try harness.runner.activate(patch) }
        #expect(error?.code == .config)
    }

    @Test func aLateFailureTakesOutItsOwnPatchAlone() throws {
        let harness = try Harness(limits: .patient.with(\.failures, 1))
        let verified = try Harness.verified(
            "patch.replace('T.f', function(_, x) if x == 1 then host.call('T.again') error('late') end return 7 end)",
            replaces: ["T.f"])
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        _ = try harness.registry.replaceable("T.again") { [weak runner = harness.runner] () throws -> Void in
            guard let runner else { return }
            try runner.activate(try runner.load(verified))
        }
        try harness.runner.activate(try harness.runner.load(verified))
        #expect(function(1) == 1)
        #expect(function(2) == 7)
    }
}

extension VerifiedPatch {
    init(
        _ source: String, version: Int = 1, app: String = "com.example.shop", appVersions: String = "*",
        engine: Int = 1,
        expires: String? = nil
    ) throws {
        self = try Harness.verified(
            source, version: version, replaces: ["T.f"], app: app, appVersions: appVersions, engine: engine,
            expires: expires)
    }
}
