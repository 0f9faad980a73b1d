import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// The shell blocks of README and docs work, and print the documented output.
    @Suite(.ownThreads) struct DocumentTests {
        /// The documents with shell blocks, except those that have their own tests.
        static let documents: [String] = {
            let folder = (try? FileManager.default.contentsOfDirectory(atPath: "\(Tool.root)/docs")) ?? []
            let names = ["README.md"] + folder.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
            return names.filter { name in
                let text = try? String(contentsOfFile: "\(Tool.root)/\(name)", encoding: .utf8)
                let hasItsOwn = [
                    "docs/delivery.md", "docs/migrating-to-modern-signatures.md", "docs/getting-started.md",
                ].contains(name)
                return !hasItsOwn && text?.contains("```sh") == true
            }
        }()

        @Test func documentsSearchFindsThem() { #expect(Self.documents.count > 5, "\(Self.documents)") }

        @Test(arguments: documents) func documentShellBlocksRunSucceed(_ document: String) throws {
            let folder = try TestFolder()
            let run = try Tool.shell(
                """
                ln -s "$TOOL" patchpack; unset -f patchpack
                PATH=$PWD:$PATH SHOP="$SHOP_APP" \
                  python3 "$CHECKOUT/Tests/Docs/run.py" "$CHECKOUT/\(document)"
                """, in: folder.path)
            #expect(run.status == 0, "\(run.text)\(run.error)")
        }

        /// The patches on the page fit the functions of the example app, to which it sends its reader.
        @Test func writingPatchesPatchesFitTheShop() throws {
            let folder = try TestFolder()
            let run = try Tool.shell(
                #"""
                "$SHOP_APP" --interface >interface.json
                awk '/^```lua/ { n++; file = n ".lua"; next } /^```/ { file = ""; next } file { print >file }' \
                  "$CHECKOUT/docs/writing-patches.md"
                patchpack lint --strict --interface interface.json $(grep -l '^-- @patch' *.lua)
                """#, in: folder.path)
            #expect(run.status == 0, "\(run.text)\(run.error)")
            #expect(run.lines.count(where: { $0.hasPrefix("ok") }) > 2, "\(run.text)")
        }

        /// The synopsis has every verb.
        @Test func theSynopsisIsWhole() throws {
            let text = try String(contentsOfFile: "\(Tool.root)/docs/cli.md", encoding: .utf8)
            let help = try Tool.patchpack("--help").lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            #expect(help.count > 20)
            for verb in help.compactMap({ $0.split(separator: " ").first }) {
                #expect(text.contains("\npatchpack \(verb)"), "\(verb)")
            }
        }
    }
#endif
