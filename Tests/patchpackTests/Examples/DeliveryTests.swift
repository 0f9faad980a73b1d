import Foundation
import PatchDevice
import TestSupport
import Testing

#if os(Linux)
    @Suite(.ownThreads) struct DeliveryTests {
        /// Every command of docs/delivery.md, in order and in one shell, with nginx as the server of the document.
        @Test(.needs("nginx-light", "/usr/sbin/nginx")) func everyCommandOfTheDocumentWorks() throws {
            let document = try String(contentsOfFile: "\(Tool.root)/docs/delivery.md", encoding: .utf8)
            let lines = document.replacing("\\\n", with: "").split(separator: "\n")
            let commands = lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
            try #require(commands.count > 35)
            let folder = try TestFolder()
            let prepare = try Tool.shell(
                """
                mkdir -p tmp www dist && patchpack keygen -o keys --profile modern -q &&
                  patchpack pack "$CHECKOUT"/examples/patches/{cart-total,discount-rounding}.lua -o dist --no-lint -q \
                    --signing-key keys/signing.pem --script-key keys/script.key
                """, in: folder.path)
            try #require(prepare.status == 0, "\(prepare.error)")
            let text = try String(contentsOfFile: "\(Tool.root)/examples/feed/nginx.conf", encoding: .utf8)
            let server = try WebServer(in: folder.path) { port in
                try folder.write(
                    text.replacing("127.0.0.1:8443 ssl", with: "127.0.0.1:\(port)")
                        .replacing("root                feed;", with: "root www;")
                        .replacing("    ssl_certificate     server.crt;\n", with: "")
                        .replacing("    ssl_certificate_key server.key;\n", with: ""), to: "nginx.conf")
                return "nginx -c \(folder.path)/nginx.conf -p \(folder.path) -g 'user root;'"
            }
            let script = commands.map {
                $0.replacing("https://patches.example.com", with: "http://127.0.0.1:\(server.port) --allow-http")
            }
            let run = try Tool.shell("set -ex\n" + script.joined(separator: "\n"), in: folder.path)
            #expect(run.status == 0, "\(run.error.suffix(2000))")
            let codes = try Tool.shell(
                "patchpack feed preview release --app-version 2.3.1 --installation x", in: folder.path)
            #expect(codes.lines.map { $0.split(separator: " ").first ?? "" } == ["rollout"])
            withExtendedLifetime(server) {}
        }

        /// The table has all codes that a program can encounter.
        @Test func theTableOfCodesIsTheLibrarys() throws {
            let page = try String(contentsOfFile: "\(Tool.root)/docs/device.md", encoding: .utf8)
            for code in SyncReport.Outcome.allCases {
                #expect(page.contains("| `\(code.rawValue)` |"), "\(code.rawValue) is not in the table")
            }
        }
    }
#endif
