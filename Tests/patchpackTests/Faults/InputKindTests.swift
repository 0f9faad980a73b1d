import Foundation
import TestSupport
import Testing

/// Unusual kinds of input files, unusual file names, and interruptions at bad moments.
@Suite(.ownThreads) struct InputKindTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try #require(try shop.pack("cart.lua").status == 0)
    }

    @Test(arguments: [
        ("folder", "mkdir x", 66),
        ("FIFO", "mkfifo x; { (sleep 0.2; [ -p x ] && true >x || true >x.lua) & }", 10),
        ("endless zeros", "ln -s /dev/zero x", 16), ("full device", "ln -s /dev/full x", 16),
        ("empty device", "ln -s /dev/null x", 10),
        ("loop of links", "ln -s x x", 66), ("two links in a loop", "ln -s y x; ln -s x y", 66),
        ("link to nothing", "ln -s z x", 66),
        ("socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"x\")'", 66),
        ("name behind a file", "ln -s cart.js/x x", 66), ("empty", ": >x", 10),
        ("link to a sound one", "ln -s cart.js x", 0),
    ])
    func inputFileSpecialKindHasItsExitStatus(_ kind: (name: String, make: String, status: Int32)) throws {
        for verb in [
            "verify x --script-key script.key", "verify x --signature-only", "unpack x -o out --script-key script.key",
        ] {
            let run = try shop.shell(
                "rm -rf x y out; \(kind.make); timeout -k 1 120 \"$TOOL\" \(verb) --trusted-key trusted.pem")
            #expect(run.status == kind.status, "\(kind.name), \(verb): \(run.status) \(run.error)")
            #expect(kind.status == 0 || run.error.contains("patchpack: error: x: "), "\(kind.name): \(run.error)")
            #expect(kind.status == 0 || !shop.folder.exists("out"), "\(kind.name)")
        }
        let packed = try shop.shell(
            "rm -rf x y; \(kind.make); mv x x.lua; timeout -k 1 120 \"$TOOL\" pack x.lua -o p.js --signing-key signing.pem --script-key script.key"
        )
        #expect(packed.status != 0 && packed.status < 124, "\(kind.name): \(packed.status)")
        #expect(!shop.folder.exists("p.js"))
        let key = try shop.shell(
            "rm -rf x y; \(kind.make); timeout -k 1 120 \"$TOOL\" verify cart.js --trusted-key x --script-key script.key"
        )
        #expect([66, 78].contains(key.status), "\(kind.name) as a key: \(key.status)")
    }

    /// The names are words of the shell.
    @Test(arguments: [
        #"$'line\nfeed.js'"#, #"$'escape\e[31m.js'"#, #"$'latin\xe9.js'"#, "' spaces .js'", "-dash.js", "ünïcödé.js",
        #"$'\u202egnp.js'"#, "'*.js'", #""q'u\"o.js""#,
    ])
    func fileNameUnusualCharactersIsVerified(_ name: String) throws {
        let run = try shop.shell(
            """
            set -e
            name=\(name)
            cp cart.js "./$name"
            patchpack verify --trusted-key trusted.pem --script-key script.key -- "$name"
            patchpack verify --format json --trusted-key trusted.pem --script-key script.key -- "$name" | tee json
            python3 -c 'import json; json.load(open("json", encoding="utf-8"))'
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.count == 2 && !run.output.contains(0x1B), "\(run.text)")
    }

    /// More files than the process may open.
    @Test func verifyMoreFilesThanDescriptorsReportsEach() throws {
        let count = testsMayBeLong ? 10_000 : 1_000
        let run = try shop.shell(
            """
            mkdir many; cp cart.js many/0.js
            python3 -c 'for n in range(1, \(count)): open(f"many/{n}.js", "w")'
            ulimit -n 64
            patchpack verify many/*.js --trusted-key trusted.pem --script-key script.key 2>errors | sort | uniq -c -w 9
            exit ${PIPESTATUS[0]}
            """)
        let words = run.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(words.first?.prefix(2) == ["\(count - 1)", "malformed"], "\(run.text)")
        #expect(words.dropFirst().first?.prefix(2) == ["1", "ok"], "\(run.text)")
        #expect(run.status == 10, "\(run.error)")
    }

    /// A file is read only once, so the unpacked scripts are from one of the two envelopes, not from both.
    @Test func aFileThatChangesWhileItIsReadIsOneOrTheOther() throws {
        let filler = String(repeating: "-- filler\n", count: 20000)
        try shop.folder.write(ReleaseFixture.script + filler + "-- a\n", to: "a.lua")
        let other = ReleaseFixture.script.replacing("cart-total", with: "other")
        try shop.folder.write(other + filler + "-- b\n", to: "b.lua")
        try #require(try shop.pack("a.lua", "b.lua").status == 0)
        let run = try shop.shell(
            """
            cp a.js x.js
            (while [ ! -e stop ]; do cat b.js >x.js; cat a.js >x.js; done) & writer=$!
            for round in $(seq 60); do
              if patchpack unpack x.js -o "out$round" -q --trusted-key trusted.pem --script-key script.key 2>>errors; then
                cmp -s "out$round/a.lua" a.lua || cmp -s "out$round/b.lua" b.lua || echo mixed
              else
                case $? in 10 | 11) [ ! -e "out$round" ] || echo half ;; *) echo "status" ;; esac
              fi
            done
            touch stop; wait $writer
            """)
        #expect(run.text == "", "\(run.text)")
    }

    /// A release that is killed at any moment leaves only complete envelopes, and the next release works.
    @Test func packKilledAtAnyMomentLeavesWholeEnvelopes() throws {
        let run = try shop.shell(
            """
            for n in 1 2 3 4 5 6; do sed "s/cart-total/s$n/" cart.lua >s$n.lua; done
            keys='--signing-key signing.pem --script-key script.key'
            patchpack pack s?.lua -o whole -q $keys || echo failed
            [ "$(ls whole | wc -l)" = 6 ] || echo missing
            for round in $(seq 30); do
              "$TOOL" pack s?.lua -o out -q --force $keys & process=$!
              sleep "0.0$((RANDOM % 90 + 10))"
              kill -9 $process 2>/dev/null; wait $process 2>/dev/null
              for file in out/s?.js; do
                [ ! -e "$file" ] || cmp -s "$file" "whole/${file#out/}" || echo "half: $file"
              done
            done
            patchpack pack s?.lua -o out -q --force $keys || echo failed
            for file in whole/*; do cmp -s "$file" "out/${file#whole/}" || echo "other: $file"; done
            """)
        #expect(run.text == "", "\(run.text)\(run.error)")
    }

    static func canMount() async -> Bool {
        await OwnThreads.run { (try? Tool.shell("unshare -rm mount -t tmpfs none /mnt"))?.status == 0 }
    }

    /// As a container's volume that is one file.
    @Test(.enabled("a file system of its own") { await canMount() }) func aMountPointIsNamed() throws {
        let run = try shop.shell(
            """
            unshare -rm bash -c 'mount --bind cart.js cart.js && "$0" pack cart.lua --version 8 -o cart.js --force \\
              --signing-key signing.pem --script-key script.key' "$TOOL"
            """)
        #expect(run.status == 74 && run.error.contains("mount its folder instead"), "\(run.error)")
    }

    /// Packs on a full file system.
    @Test(.enabled("a file system of its own") { await canMount() }) func aFullDiskLeavesNoHalfFile() throws {
        let run = try shop.shell(
            """
            mkdir disk
            unshare -rm bash -c '
              mount -t tmpfs -o size=64k none disk
              head -c 8192 /dev/zero >disk/old.js
              for room in 40 16 8 4 0; do
                dd if=/dev/zero of=disk/filler bs=1k count=$((56 - room)) 2>/dev/null
                cp cart.lua big.lua; head -c 50000 /dev/zero | tr "\\0" "-" >>big.lua
                "$0" pack big.lua -o disk/new.js -q --signing-key signing.pem --script-key script.key 2>>errors
                echo $?; ls disk
                rm -f disk/filler disk/new.js
              done' "$TOOL"
            """)
        #expect(
            run.lines == Array(repeating: ["74", "filler", "old.js"], count: 5).flatMap(\.self),
            "\(run.text)\(run.error)")
    }
}
