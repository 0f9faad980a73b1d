import Foundation
import PatchCrypto
import TestSupport
import Testing

#if os(Linux)
    /// Makes each call that writes fail, or kills the process during it, one call at a time.
    ///
    /// No file is ever written halfway, no input is lost, and the next run works.
    @Suite(.ownThreads) struct FaultTests {
        /// A command that writes files, and the state that it must leave.
        struct Scenario: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let arguments: [String]
            /// The files that it writes: all of them or none, unless `areSeparate` is true.
            let outputs: [String]
            var areSeparate = false
            /// Whether the same input produces the same bytes.
            var isDeterministic = true
            /// The contents of each output before the command, if any.
            var before: [UInt8]?
            /// A command that writes the outputs before the command, if any.
            var prepare: [String] = []
        }

        private static let keys = ["--signing-key", "signing.pem", "--script-key", "script.key"]
        private static let trust = ["--trusted-key", "trusted.pem"]
        static let scenarios = [
            Scenario(
                testDescription: "pack",
                arguments: ["pack", "cart.lua", "other.lua", "-o", "out", "--jobs", "1"] + keys,
                outputs: ["out/cart.js", "out/other.js"], areSeparate: true),
            Scenario(
                testDescription: "pack over an older one",
                arguments: ["pack", "cart.lua", "-o", "out", "--force", "--jobs", "1"] + keys, outputs: ["out/cart.js"],
                before: Array("an older envelope".utf8)),
            Scenario(
                testDescription: "resign",
                arguments: ["resign", "sound.js", "-o", "out/new.js", "--signing-key", "signing.pem"] + trust,
                outputs: ["out/new.js"]),
            Scenario(
                testDescription: "unpack",
                arguments: ["unpack", "bundle.js", "-o", "out", "--script-key", "script.key"] + trust,
                outputs: ["out/cart.lua", "out/other.lua"]),
            // With this many files, the whole file system is flushed.
            Scenario(
                testDescription: "unpack many",
                arguments: ["unpack", "many.js", "-o", "out", "--script-key", "script.key"] + trust,
                outputs: ["out/cart.lua"] + (0..<12).map { "out/part\($0).lua" }),
            Scenario(
                testDescription: "keygen", arguments: ["keygen", "-o", "out", "--profile", "modern"],
                outputs: ["out/signing.pem", "out/trusted.pem", "out/script.key"], isDeterministic: false),
            Scenario(
                testDescription: "keygen over older ones",
                arguments: ["keygen", "-o", "out", "--profile", "modern", "--force"],
                outputs: ["out/signing.pem", "out/trusted.pem", "out/script.key"], isDeterministic: false,
                before: Array("an older key".utf8)),
            Scenario(
                testDescription: "trust add",
                arguments: ["trust", "add", "out/trust.store", "trusted.pem", "--name", "build"],
                outputs: ["out/trust.store"],
                prepare: ["trust", "add", "out/trust.store", "other.pem", "--name", "old"]),
            Scenario(
                testDescription: "init", arguments: ["init", "out/new", "--app", "com.example.shop"],
                outputs: [
                    "patches/hello.lua", "specs/hello.lua", "interface.json", "release.sh", "README.md", ".gitignore",
                    ".gitattributes", ".github/workflows/patches.yml",
                ].map { "out/new/\($0)" }),
        ]

        /// A folder with the library that injects faults, compiled by the toolchain's C compiler.
        static let library: TestFolder? = {
            guard let folder = try? TestFolder(),
                let run = try? Tool.shell(
                    """
                    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
                    "$clang" -shared -fPIC -o faults.so "$CHECKOUT/Tests/patchpackTests/Faults/faults.c"
                    """, in: folder.path), run.status == 0
            else { return nil }
            return folder
        }()

        private func place(_ scenario: Scenario) throws -> ReleaseFixture {
            let shop = try ReleaseFixture()
            try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: "other"), to: "other.lua")
            try shop.folder.write("", to: "out/.keep")
            let parts = (0..<12).map { "part\($0).lua" }
            for name in parts { try shop.folder.write("return {}\n", to: name) }
            for (name, scripts) in [
                ("sound.js", ["cart.lua"]), ("bundle.js", ["cart.lua", "other.lua", "--bundle"]),
                ("many.js", ["cart.lua"] + parts + ["--bundle"]),
            ] {
                let run = try Tool.run(
                    Tool.patchpack, ["pack"] + scripts + ["-o", name] + Self.keys, in: shop.folder.path)
                try #require(run.status == 0, "\(run.error)")
            }
            if let before = scenario.before {
                for output in scenario.outputs { try shop.folder.write(before, to: output) }
            }
            if !scenario.prepare.isEmpty {
                try #require(try Tool.run(Tool.patchpack, scenario.prepare, in: shop.folder.path).status == 0)
            }
            return shop
        }

        private func inputs(_ shop: ReleaseFixture) throws -> [String: [UInt8]] {
            var inputs: [String: [UInt8]] = [:]
            for name in try shop.folder.contents() where !name.hasPrefix("out") {
                inputs[name] = try shop.folder.read(name)
            }
            return inputs
        }

        /// Files in a new folder would be lost with the power if the folder's own name were not flushed.
        @Test func newFoldersAreFlushed() throws {
            let folder = try TestFolder()
            try folder.write("", to: "there/.keep")
            let library = try #require(Self.library)
            func flushes(_ output: String) throws -> Int {
                let trace = folder.at("\(output.utf8.count).trace")
                let run = try Tool.run(
                    Tool.patchpack, ["keygen", "-o", output, "--profile", "modern"],
                    environment: ["LD_PRELOAD": library.at("faults.so"), "FAULT_TRACE": trace], in: folder.path)
                try #require(run.status == 0, "\(run.error)")
                let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
                return calls.count { $0 == "fsync 0" }
            }
            #expect(try flushes("new/keys") == flushes("there") + 2)
        }

        /// Without another thread, work goes on in one, or ends with a message. It never waits.
        @Test(arguments: [
            ("verify cart.js b.js --trusted-key trusted.pem --script-key script.key", 0, "2 ok"),
            ("lint cart.lua b.lua", 0, ""), ("report e.jsonl e.jsonl.1 --format json", 10, "2 damaged lines"),
            (
                "pack cart.lua b.lua -o two --signature-command 'openssl dgst -sha1 -sign signing.pem' --trusted-key trusted.pem --script-key script.key --jobs 2",
                0, "2 packed"
            ),
            ("test cart.lua --spec spec.lua", 69, "no thread can be made"),
            (
                "sync feed --root feed/metadata/1.root.json --store d --app com.example.shop --app-version 2.3.1 --trusted-key trusted.pem --script-key script.key",
                69, "ulimit -u"
            ),
        ])
        func commandWithoutNewThreadsWorksOrFails(_ command: String, status: Int32, says: String) throws {
            let shop = try FeedReleaseFixture(isEmpty: true).shop
            try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: "b"), to: "b.lua")
            try #require(try shop.pack("cart.lua", "b.lua").status == 0)
            for name in ["e.jsonl", "e.jsonl.1"] { try shop.folder.write("{}x\n", to: name) }
            try shop.folder.write("it('a', function() end)", to: "spec.lua")
            let library = try #require(Self.library)
            let run = try Tool.shell(
                "timeout 60 \"$TOOL\" \(command)",
                environment: ["LD_PRELOAD": library.at("faults.so"), "FAULT_THREADLESS": "1"], in: shop.folder.path)
            #expect(run.status == status && (says.isEmpty || run.error.contains(says)), "\(run.status) \(run.error)")
        }

        /// The cause is told, and not only the number of an error.
        @Test(arguments: [
            ("trust add t.store trusted.pem", "FAULT_LOCKLESS", 74, "cannot be locked: bad file descriptor"),
            ("keygen --profile modern -o k", "FAULT_READABLE", 0, "k/signing.pem: other users can read it"),
            (
                "pack cart.lua --no-lint -o o.js --trusted-key trusted.pem --script-key script.key --signature-command true",
                "TMPDIR", 74, "is TMPDIR a folder"
            ),
        ])
        func commandPoorFileSystemSaysSo(
            _ command: String, variable: String, status: Int32, says: String
        ) throws {
            let library = try #require(Self.library)
            let shop = try ReleaseFixture()
            let run = try Tool.shell(
                "\"$TOOL\" \(command)", environment: ["LD_PRELOAD": library.at("faults.so"), variable: "/none"],
                in: shop.folder.path)
            #expect(run.status == status && run.error.contains(says), "\(run.status) \(run.error)")
        }

        /// libzstd takes memory for the window when it reads the first frame.
        @Test func reportZstandardWithoutMemorySaysSo() throws {
            let folder = try TestFolder()
            let run = try Tool.shell(
                #"""
                clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
                cat >zstd.c <<'END'
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <string.h>
                static int stream;
                void *ZSTD_createDStream(void) { return &stream; }
                unsigned long ZSTD_freeDStream(void *stream) { return 0; }
                unsigned long ZSTD_DCtx_setParameter(void *stream, int parameter, int value) { return 0; }
                unsigned long ZSTD_decompressStream(void *stream, void *output, void *input) { return -64ul; }
                unsigned ZSTD_isError(unsigned long code) { return code > -120ul; }
                int ZSTD_getErrorCode(unsigned long code) { return (int)-code; }
                void *dlopen(const char *file, int mode) {
                    void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
                    return next(file && strcmp(file, "libzstd.so.1") == 0 ? "./zstd.so" : file, mode);
                }
                END
                printf '\x28\xb5\x2f\xfd' >e.jsonl.zst
                "$clang" -shared -fPIC -o zstd.so zstd.c && LD_PRELOAD=./zstd.so "$TOOL" report e.jsonl.zst
                """#, in: folder.path)
            #expect(run.status == 69 && run.error.contains("e.jsonl.zst: no memory"), "\(run.status) \(run.error)")
        }

        /// A signal may come before the number of a new command is known. No command goes on without the tool.
        @Test(arguments: [1, 2]) func signatureCommandSignalWhileItStartsIsEnded(jobs: Int) throws {
            let shop = try ReleaseFixture()
            try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: "b"), to: "b.lua")
            let library = try #require(Self.library)
            let run = try Tool.shell(
                """
                FAULT_SPAWN=1 LD_PRELOAD=\(library.at("faults.so")) "$TOOL" pack cart.lua b.lua -o o --no-lint --jobs \(jobs) \
                  --trusted-key trusted.pem --script-key script.key --signature-command 'echo $$ >>started; exec sleep 60'
                echo $?
                sleep 1  # a command that goes on writes its number
                for process in $(cat started); do
                  for try in $(seq 300); do grep -q "^State:.[^Z]" /proc/$process/status || continue 2; sleep 0.1; done
                  echo "$process goes on"
                done
                """, in: shop.folder.path)
            #expect(run.lines == ["143"], "\(run.text)")
        }

        /// Lets each call that writes fail, one after the other, or kills the process during it: each in one of the two
        /// ways.
        ///
        /// - Parameters:
        ///   - name: The scenario, which chooses the calls (`faultNumbers`).
        ///   - folder: A folder for the numbers of calls.
        ///   - variables: More variables for each run.
        ///   - killsFirst: Whether the first of them kills the process.
        ///   - sound: Runs the scenario without a fault, with variables.
        ///   - check: Runs it with a fault, such as `write:3:28`, and its variables, and checks what it leaves.
        static func eachCallFails(
            in name: String, _ folder: TestFolder, _ variables: [String: String] = [:], killsFirst: Bool = true,
            sound: ([String: String]) throws -> Tool, _ check: ([String: String], String) throws -> Void
        ) throws {
            let environment = variables.merging(["LD_PRELOAD": try #require(library).at("faults.so")]) { $1 }
            let run = try sound(environment.merging(["FAULT_COUNTS": folder.at("counts")]) { $1 })
            try #require(run.status == 0, "\(run.error)")
            let counts = String(decoding: try folder.read("counts"), as: UTF8.self).split(separator: "\n")
                .prefix { !$0.hasPrefix("stat ") }
            var points = 0
            for (kind, line) in counts.enumerated() {
                let fields = line.split(separator: " ")
                for number in faultNumbers(ofKind: kind, Int(fields[1]) ?? 0, in: name) {
                    let fault = "\(fields[0]):\(number):\(points.isMultiple(of: 2) == killsFirst ? "kill" : "28")"
                    points += 1
                    try check(environment.merging(["FAULT": fault]) { $1 }, fault)
                }
            }
            #expect(points >= (testsMayBeLong ? 3 : 1), "\(points)")
        }

        /// A disk that does not tell what is there has lost nothing: a store is not begun again, and a folder that
        /// cannot be read to its end is not a smaller one.
        @Test(arguments: [
            (
                "patchpack keystore add k.store new.key -q", "patchpack keystore list k.store | grep -c ,",
                "k.store", "stat", 12
            ),
            (
                "patchpack trust add t.store new.pem -q", "patchpack trust list t.store | grep -cE 'trusted|new'",
                "t.store", "stat", 12
            ),
            (
                "patchpack verify -q -r sub --trusted-key trusted.pem --script-key script.key", "echo 0", "cart.lua",
                "readdir", 4
            ),
        ])
        func diskDoesNotTellWhatIsThereNothingIsLost(
            _ line: String, counts: String, file: String, call: String, number: Int
        ) throws {
            let library = try #require(Self.library)
            let shop = try ReleaseFixture()
            let run = try Tool.shell(
                """
                export P=open-sesame
                patchpack() { "$TOOL" "$@" ${store:+--passphrase-env P}; }
                "$TOOL" keygen -q --profile mpaas -o new; cp new/script.key new.key; cp new/trusted.pem new.pem
                cp script.key first.key; mkdir sub; "$TOOL" pack -q cart.lua -o sub --no-lint --signing-key signing.pem --script-key script.key
                "$TOOL" keystore add k.store first.key -q --passphrase-env P; "$TOOL" trust add t.store trusted.pem -q
                case "\(line)" in *keystore*) store=1 ;; esac
                cp \(file) before
                for number in $(seq \(number)); do
                  cp before \(file)
                  if (export FAULT=\(call):$number:5 LD_PRELOAD=\(library.at("faults.so")); \(line) >out 2>&1); then
                    [ "$(\(counts))" = 2 ] || echo "$number: lost: $(cat out)"
                  else
                    cmp before \(file) || echo "$number: changed"
                    grep -q 'patchpack: error: ' out || echo "$number: $(cat out)"
                    touch failed
                  fi
                done
                [ -e failed ] || echo "no call failed"
                """, in: shop.folder.path)
            #expect(run.text.isEmpty, "\(run.text)\(run.error)")
        }

        @Test(arguments: scenarios, [false, true])
        func commandEachCallFailsLeavesWholeOutputs(_ scenario: Scenario, withoutNamelessFiles: Bool) throws {
            let sound = try place(scenario)
            var whole: [[UInt8]] = []
            // The folder is reused as long as a run leaves it unchanged.
            var shop = try place(scenario)
            try Self.eachCallFails(
                in: "\(scenario)", sound.folder, withoutNamelessFiles ? ["FAULT_NAMELESS": "1"] : [:],
                killsFirst: withoutNamelessFiles
            ) { environment in
                let run = try Tool.run(
                    Tool.patchpack, scenario.arguments, environment: environment, in: sound.folder.path)
                whole = try scenario.outputs.map(sound.folder.read)
                return run
            } _: { environment, fault in
                if try !check(scenario, shop, environment, fault, whole) { shop = try place(scenario) }
            }
        }

        /// Runs with a fault and checks the files; then runs without a fault.
        ///
        /// - Returns: Whether the folder is unchanged.
        private func check(
            _ scenario: Scenario, _ shop: ReleaseFixture, _ environment: [String: String], _ fault: String,
            _ whole: [[UInt8]]
        ) throws -> Bool {
            let before = try inputs(shop)
            let old = try scenario.outputs.map { shop.folder.exists($0) ? try shop.folder.read($0) : nil }
            let run = try Tool.run(
                Tool.patchpack, scenario.arguments, environment: environment, in: shop.folder.path)
            let isKilled = fault.hasSuffix("kill")
            let expected: [Int32] = isKilled ? [137, 0] : [0, 66, 70, 74, 78]
            #expect(expected.contains(run.status), "\(fault): \(run.status) \(run.error)")
            let after = try inputs(shop)
            #expect(after == before, "\(fault): an input was changed")
            let states = try scenario.outputs.enumerated().map { index, name -> String in
                guard shop.folder.exists(name) else { return old[index] == nil ? "untouched" : "lost" }
                let bytes = try shop.folder.read(name)
                if bytes == old[index] { return "untouched" }
                if scenario.isDeterministic { return bytes == whole[index] ? "whole" : "half" }
                return bytes.count == whole[index].count && bytes.last == 10 ? "whole" : "half"
            }
            #expect(!states.contains("half") && !states.contains("lost"), "\(fault): \(states)")
            if !isKilled {
                #expect(
                    run.status != 0 || states.allSatisfy { $0 == "whole" }, "\(fault): nothing was said, and \(states)")
                #expect(scenario.areSeparate || Set(states).count == 1, "\(fault): \(states)")
                #expect(run.status == 0 || run.error.contains("patchpack: error: "), "\(fault): \(run.error)")
                // Folders may be left.
                let others = try shop.folder.contents().filter { name in
                    let isFile = (try? shop.folder.read(name)) != nil
                    return name.hasPrefix("out/") && name != "out/.keep" && isFile && !scenario.outputs.contains(name)
                }
                #expect(others.isEmpty, "\(fault): \(others)")
            }
            // A failure of standard output happens after the files are in place.
            if run.status != 0, !isKilled, !scenario.areSeparate, !run.error.contains("standard output") {
                #expect(!states.contains("whole"), "\(fault): \(states)")
            }
            if states.allSatisfy({ $0 == "untouched" }), !isKilled { return true }
            let takesForce = !["trust", "init"].contains(scenario.arguments[0])
            let next = try Tool.run(
                Tool.patchpack, scenario.arguments + (takesForce ? ["--force"] : []), in: shop.folder.path)
            // Without --force, a command refuses to do its work again.
            let mayRefuse = !takesForce && states.contains("whole")
            #expect(next.status == 0 || mayRefuse, "after \(fault): \(next.error)")
            return false
        }
    }
#endif
