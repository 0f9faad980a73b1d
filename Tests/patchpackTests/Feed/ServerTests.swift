import Foundation
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import Synchronization
import TestSupport
import Testing

@testable import patchpack

#if os(Linux)
    /// A feed on real servers: nginx with the documented configuration, and a cache and a proxy in front of it.
    @Suite(.ownThreads, .needs("nginx-light", "/usr/sbin/nginx"))
    struct ServerTests {
        private let work: FeedReleaseFixture
        private let storage = MemoryStorage()

        init() throws {
            work = try FeedReleaseFixture()
            // A test authority, and a certificate for loopback.
            let made = try work.shop.shell(
                """
                openssl req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.pem -days 10 -subj /CN=test 2>&1 &&
                openssl req -newkey ed25519 -nodes -keyout server.key -out server.csr -subj /CN=localhost 2>&1 &&
                openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 10 -out server.crt \\
                  -extfile <(echo subjectAltName=DNS:localhost,IP:127.0.0.1) 2>&1 && mkdir tmp
                """)
            try #require(made.status == 0, "\(made.text)")
        }

        /// nginx with the documented configuration, changed as a reader would: the port, and lines for faults.
        private func nginx(tls: Bool = true, _ lines: String = "", headers: [String: String] = [:]) throws -> WebServer
        {
            let text = String(
                decoding: try Data(contentsOf: URL(filePath: "\(Tool.root)/examples/feed/nginx.conf")), as: UTF8.self)
            return try WebServer(in: work.folder.path) { port in
                var text = text.replacing("127.0.0.1:8443 ssl", with: "127.0.0.1:\(port)\(tls ? " ssl" : "")")
                text = text.replacing("pid              nginx.pid", with: "pid nginx-\(port).pid")
                text = text.replacing("worker_processes auto", with: "worker_processes 1")
                text = text.replacing(
                    "    location = /metadata/timestamp.json {",
                    with: "\(lines)\n    location = /metadata/timestamp.json {")
                for (old, new) in headers { text = text.replacing(old, with: new) }
                try work.folder.write(text, to: "nginx-\(port).conf")
                return "nginx -c \(work.folder.path)/nginx-\(port).conf -p \(work.folder.path) -g 'user root;'"
            }
        }

        private func source(
            _ server: WebServer, tls: Bool = true, retries: Int = 0, isImpatient: Bool = false,
            pause: (@Sendable (Duration) async throws -> Void)? = nil
        ) throws -> ServedSource {
            var settings = HTTPSettings()
            settings.allowsHTTP = !tls
            settings.authoritiesFile = work.folder.at("ca.pem")
            settings.retries = retries
            if isImpatient {
                settings.stallTime = .seconds(2)
                settings.fileTime = .seconds(5)
            }
            let url = "\(tls ? "https" : "http")://127.0.0.1:\(server.port)"
            var source = try HTTPSource(url, settings: settings)
            if let pause { source.pause = pause }
            return ServedSource(server: server, source: source)
        }

        /// Updates, and reads the list and the offered envelope.
        private func sync(_ source: any FeedSource, in storage: MemoryStorage? = nil) async throws -> [Int] {
            let now = try #require(Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
            var client = try FeedClient(
                root: work.folder.read("feed/metadata/1.root.json"), source: source, storage: storage ?? self.storage,
                at: now)
            try await client.update()
            let target = try #require(try await client.target(PatchList.path(for: "com.example.shop")))
            let list = try PatchList(decoding: await client.contents(of: target, limit: PatchList.byteLimit))
            for entry in list.entries {
                let target = try #require(try await client.target(entry.path))
                let envelope = try await client.contents(of: target, limit: 1 << 20)
                #expect(envelope == (try work.folder.read("\(entry.version).js")))
            }
            return list.entries.map(\.version)
        }

        /// The error of a new device's sync; nil if it succeeds.
        private func failure(of source: any FeedSource) async throws -> PatchError? {
            do {
                _ = try await sync(source, in: MemoryStorage())
                return nil
            } catch let error as PatchError {
                return error
            }
        }

        @Test func aFeedIsReadOverTLS() async throws {
            let server = try nginx()
            #expect(try await sync(source(server)) == [7])
            try #require(try work.publish(["8.js"]).status == 0)
            #expect(try await sync(source(server)) == [7, 8])
            let url = "https://127.0.0.1:\(server.port)"
            let check = try work.run(["check", url, "--root", "feed/metadata/1.root.json", "--cacert", "ca.pem"])
            #expect(check.status == 0, "\(check.error)")
            let preview = try work.run(
                ["preview", url, "--root", "feed/metadata/1.root.json", "--cacert", "ca.pem", "--app-version", "2.3.1"])
            #expect(preview.lines.first == "offered  \(FeedReleaseFixture.id) 8", "\(preview.error)")
            let unknown = try work.run(["check", url, "--root", "feed/metadata/1.root.json"])
            #expect(unknown.status == 36 && unknown.error.contains("name its file: --cacert"), "\(unknown.error)")
            let plain = try work.run([
                "check", "http://127.0.0.1:\(server.port)", "--root", "feed/metadata/1.root.json",
            ])
            #expect(plain.status == 78 && plain.error.contains("http is not allowed"), "\(plain.error)")
            #expect(plain.error.contains("use https, or --allow-http for a server of your own"), "\(plain.error)")
        }

        @Test func anAppIsToldHowHTTPIsAllowed() throws {
            let fault = #expect(throws: PatchError.self) { try HTTPSource("http://127.0.0.1:8931") }
            #expect(fault?.message == "http://127.0.0.1:8931: http is not allowed")
            #expect(fault?.hint == "use https, or HTTPSettings(allowsHTTP: true) for a server of your own")
            _ = try HTTPSource("http://127.0.0.1:8931", settings: HTTPSettings(allowsHTTP: true))
            #expect("\(try HTTPSource("HTTPS://ada:secret@example.com/feed"))" == "https://example.com/feed/")
        }

        @Test(arguments: [
            ("-30 days", "IP:127.0.0.1", "check this machine's clock"),
            ("+30 days", "IP:127.0.0.1", "check this machine's clock"),
            ("-1 day", "DNS:elsewhere", "the certificate is for another host"),
        ])
        func aWrongCertificateIsToldApart(signed: String, for name: String, says: String) throws {
            let made = try work.shop.shell(
                """
                faketime '\(signed)' openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 10 -out server.crt \
                  -extfile <(echo subjectAltName=\(name)) 2>&1
                """)
            try #require(made.status == 0, "\(made.text)")
            let server = try nginx()
            let run = try work.run([
                "check", "https://127.0.0.1:\(server.port)", "--root", "feed/metadata/1.root.json", "--cacert",
                "ca.pem",
            ])
            #expect(run.status == 36 && run.error.contains(says), "\(run.error)")
        }

        /// With a file of authorities, those of the system are not trusted.
        @Test(.enabled("a file system of its own") { await InputKindTests.canMount() })
        func onlyNamedAuthoritiesAreTrusted() throws {
            let server = try nginx()
            let run = try work.shop.shell(
                """
                openssl req -x509 -newkey ed25519 -nodes -keyout other.key -out other.pem -subj /CN=other -days 1 2>&1
                unshare -rm bash -c '
                  mount -t tmpfs none /etc/ssl/certs
                  cp ca.pem /etc/ssl/certs/$(openssl x509 -hash -noout -in ca.pem).0
                  for file in ca.pem other.pem; do
                    "$0" feed check https://127.0.0.1:$1 --root feed/metadata/1.root.json --cacert $file >&2; echo $?
                  done' "$TOOL" \(server.port)
                """)
            #expect(run.lines.suffix(2) == ["0", "36"], "\(run.text)\(run.error)")
        }

        @Test(arguments: [
            (401, "a feed is public"), (407, "the proxy wants a name"), (429, "try again later"),
            (511, "sign in to the network"),
            (418, "the server answered 418"),
        ])
        func aStatusHasItsHint(status: Int, says: String) throws {
            let server = try nginx(tls: false, "location = /metadata/2.root.json { return \(status); }")
            let run = try work.run([
                "check", "http://127.0.0.1:\(server.port)", "--root", "feed/metadata/1.root.json", "--allow-http",
            ])
            #expect(run.status == 36 && run.error.contains(says), "\(run.error)")
        }

        @Test func aProxyThatIsNotThereIsNamed() throws {
            let reading = ["check", "https://feed.example.com", "--root", "feed/metadata/1.root.json"]
            let run = try work.run(reading, environment: ["https_proxy": "http://127.0.0.1:1", "no_proxy": ""])
            #expect(run.status == 36 && run.error.contains("127.0.0.1 port 1"), "\(run.error)")
            #expect(run.error.contains("the environment names a proxy, in https_proxy"), "\(run.error)")
        }

        @Test(arguments: [
            "http://ada:secret@host:8080\n", "http://ada:secret@host:99999", "ftp://ada:secret@host",
            "http://ada:secret@ho st", "ada:secret host",
        ])
        func proxyAddressIsWrongOnlyItsVariableIsNamed(address: String) throws {
            let reading = ["check", "https://feed.example.com", "--root", "feed/metadata/1.root.json"]
            let run = try work.run(reading, environment: ["https_proxy": address, "no_proxy": ""])
            #expect(run.status == 36 && !run.error.contains("secret"), "\(run.error)")
            #expect(run.error.contains("the environment names a proxy, in https_proxy"), "\(run.error)")
        }

        @Test func feedPasswordWithASlashIsNotShown() throws {
            for url in ["http://ada:sec/ret@127.0.0.1", "https://ada:sec/ret@127.0.0.1:1/feed"] {
                let run = try work.run(["check", url, "--root", "feed/metadata/1.root.json", "--allow-http"])
                #expect(run.status == 36 && !run.error.contains("sec") && !run.error.contains("ret"), "\(run.error)")
                #expect(run.error.contains("write %2F for /"), "\(run.error)")
            }
        }

        @Test func theServerSaysThatNothingHasChanged() async throws {
            let server = try nginx()
            let counted = CountingSource(try source(server))
            _ = try await sync(counted)
            counted.reset()
            let now = try #require(Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
            var client = try FeedClient(
                root: work.folder.read("feed/metadata/1.root.json"), source: counted, storage: storage, at: now)
            try await client.update()
            #expect(counted.log == ["metadata/2.root.json missing", "metadata/timestamp.json unchanged"])
        }

        @Test func wrongHeadersForCachesAreNoticed() throws {
            func warnings(_ headers: [String: String]) throws -> [Substring] {
                let server = try nginx(headers: headers)
                let run = try work.run([
                    "check", "https://127.0.0.1:\(server.port)", "--root", "feed/metadata/1.root.json", "--cacert",
                    "ca.pem",
                ])
                #expect(run.status == 0, "\(run.error)")
                return run.error.split(separator: "\n")
            }
            #expect(try warnings([:]).isEmpty)
            let wrong = try warnings([
                "public, max-age=60, must-revalidate": "max-age=86400",
                "public, max-age=31536000, immutable": "no-cache",
                "public, max-age=60\" always": "s-maxage=7200, max-age=1\" always",
            ])
            #expect(wrong.count == 3, "\(wrong)")
            #expect(wrong.contains { $0.contains("caches keep timestamp.json for 86400 s") }, "\(wrong)")
            #expect(wrong.contains { $0.contains("remember for 7200 s that a file is missing") }, "\(wrong)")
            // A second line adds to the first.
            let twice = try warnings([
                "add_header Cache-Control \"public, max-age=60, must-revalidate\";":
                    "add_header Cache-Control max-age=86400; add_header Cache-Control public;"
            ])
            #expect(twice.contains { $0.contains("caches keep timestamp.json for 86400 s") }, "\(twice)")
            let silent = try warnings(["add_header Cache-Control \"public, max-age=60, must-revalidate\";": ""])
            #expect(silent.count == 1 && silent.first?.contains("no Cache-Control") == true, "\(silent)")
        }

        @Test func aCopyOfTheFeedThatIsOlderThanTheServedOneIsNotChanged() throws {
            let server = try nginx()
            let options = ["--check-served", "https://127.0.0.1:\(server.port)", "--cacert", "ca.pem"]
            try #require(try work.shop.shell("cp -r feed copy").status == 0)
            let same = try work.run(["refresh", "feed"] + FeedReleaseFixture.online + options)
            #expect(same.status == 0, "\(same.error)")
            try #require(try work.shop.shell("mkdir elsewhere && mv feed-*.signed elsewhere").status == 0)
            let older = try work.run(["disable", "copy"] + FeedReleaseFixture.online + options)
            try #require(try work.shop.shell("mv elsewhere/* .").status == 0)
            #expect(older.status == 32 && older.error.contains("another copy of the feed"), "\(older.error)")
            // Here the signer also knows. On another machine, only the server does.
            let known = try work.run(["disable", "copy"] + FeedReleaseFixture.online)
            #expect(known.status == 32 && known.error.contains("old copy"), "\(known.error)")
            try #require(try work.shop.shell("rm feed-*.signed").status == 0)
            #expect(try work.run(["disable", "copy"] + FeedReleaseFixture.online).status == 0)
            // The same number of changes as on the server, but other changes.
            try #require(try work.shop.shell("rm -f feed-*.signed").status == 0)
            #expect(try work.run("pause", "feed", FeedReleaseFixture.id).status == 0)
            try #require(try work.shop.shell("rm feed-*.signed").status == 0)
            #expect(try work.run("refresh", "copy").status == 0)
            let fork = try work.run(["disable", "copy"] + FeedReleaseFixture.online + options)
            #expect(fork.status == 40 && fork.error.contains("of another copy of this feed"), "\(fork.error)")
            let other = try work.run(FeedReleaseFixture.make("other"))
            try #require(other.status == 0)
            try #require(
                try work.run(FeedReleaseFixture.make("third").map { $0 == "online.pem" ? "new.pem" : $0 }).status == 0)
            let foreign = try work.run(["disable", "third", "--key", "new.pem"] + options)
            #expect(foreign.status == 31, "\(foreign.error)")
            server.stop()
            let gone = try work.run(["refresh", "feed"] + FeedReleaseFixture.online + options)
            #expect(gone.status == 36, "\(gone.error)")
        }

        /// The headers that the documentation promises.
        @Test func cachesAreToldWhatNeverChanges() throws {
            let server = try nginx()
            func header(_ path: String) throws -> String {
                let run = try work.shop.shell(
                    """
                    printf 'GET /\(path) HTTP/1.0\\r\\n\\r\\n' |
                      openssl s_client -quiet -CAfile ca.pem -connect 127.0.0.1:\(server.port) 2>/dev/null | tr -d '\\r' |
                      sed '/^$/q' | grep -i -E '^(HTTP|cache-control)'
                    """)
                return run.text
            }
            #expect(try header("metadata/timestamp.json").contains("max-age=60, must-revalidate"))
            #expect(try header("metadata/1.root.json").contains("max-age=31536000, immutable"))
            let missing = try header("metadata/2.root.json")
            #expect(
                missing.contains("404") && missing.contains("max-age=60") && !missing.contains("immutable"),
                "\(missing)")
            let envelope = try work.folder.contents().first { $0.hasSuffix("cart-total-7.js") }
            #expect(try header(String(try #require(envelope).dropFirst("feed/".count))).contains("immutable"))
            try work.folder.write("secret", to: "feed/staged/targets.json")
            #expect(try header("staged/targets.json").contains("404"))
        }

        /// Possible answers of a server instead of a file. After each, a good server is enough.
        @Test(
            arguments: [
                ("location = /metadata/timestamp.json { return 500; }", "feed-unavailable"),
                ("location = /metadata/timestamp.json { return 403; }", "feed-unavailable"),
                ("location = /metadata/timestamp.json { return 404; }", "feed-unavailable"),
                (
                    "location = /metadata/timestamp.json { default_type text/html; return 200 '<html>Sign in</html>'; }",
                    "feed-unavailable"
                ),
                ("location = /metadata/timestamp.json { return 200 '<html>Sign in</html>'; }", "feed-malformed"),
                ("location = /metadata/timestamp.json { return 200 ''; }", "feed-malformed"),
                ("location = /metadata/timestamp.json { return 302 http://127.0.0.1:1/; }", "feed-unavailable"),
                ("location = /metadata/timestamp.json { return 302 /metadata/timestamp.json; }", "feed-unavailable"),
                ("location = /metadata/timestamp.json { return 302 /metadata/1.root.json; }", "feed-malformed"),
                ("location = /metadata/timestamp.json { limit_rate 1; }", "feed-unavailable"),
                (
                    "location = /metadata/timestamp.json { default_type text/html; return 200 '<html>\(String(repeating: "x", count: 3000))'; }",
                    "feed-unavailable"
                ),
                ("location = /metadata/2.root.json { return 404 '\(String(repeating: "x", count: 3000))'; }", nil),
                (
                    "location = /metadata/2.snapshot.json { return 503 '\(String(repeating: "x", count: 3000))'; }",
                    "feed-unavailable"
                ),
                ("location = /metadata/2.root.json { return 403; }", nil),
                ("location = /metadata/2.root.json { return 500; }", "feed-unavailable"),
                (
                    "location = /metadata/2.root.json { types {} default_type text/html; return 200 '<html>'; }",
                    "feed-unavailable"
                ),
                ("location = /metadata/2.snapshot.json { alias feed/metadata/1.snapshot.json; }", "feed-mismatch"),
                ("location = /metadata/2.targets.json { alias feed/metadata/1.targets.json; }", "feed-mismatch"),
                ("rewrite ^/metadata/2.targets.json$ /metadata/1.root.json last;", "feed-limit"),
                ("location ^~ /targets/ { return 404; }", "feed-unavailable"),
                ("location ^~ /targets/ { return 302 https://127.0.0.1:1$request_uri; }", "feed-unavailable"),
            ] as [(String, String?)])
        func httpSourceWrongAnswerIsRefused(lines: String, expected: String?) async throws {
            // A location may be given only once.
            let text = lines.replacing(
                "location = /metadata/timestamp.json", with: "location ~ ^/metadata/timestamp.json$"
            )
            .replacing("alias feed/", with: "alias \(work.folder.path)/feed/")
            let broken = try nginx(
                text.contains("timestamp")
                    ? "rewrite ^/metadata/timestamp.json$ /faulty last; "
                        + text.replacing("~ ^/metadata/timestamp.json$", with: "= /faulty")
                        .replacing(
                            "{ limit_rate 1; }",
                            with: "{ limit_rate 1; alias \(work.folder.path)/feed/metadata/timestamp.json; }")
                    : text)
            let error = try await failure(of: source(broken, isImpatient: lines.contains("limit_rate")))
            #expect(error?.code.description == expected, "\(String(describing: error))")
            #expect(try await sync(source(try nginx())) == [7])
        }

        /// The connection dies after each of twelve numbers of bytes, a hundred in long tests. The same device then
        /// syncs with a good server.
        @Test func httpSourceConnectionDiesNextSyncWorks() async throws {
            let server = try nginx(tls: false)
            let all = 9_000
            let step = testsMayBeLong ? all / 100 : all / 12
            var failures = 0
            for bytes in stride(from: 0, to: all, by: step) {
                let storage = MemoryStorage()
                let broken = try WebServer(in: work.folder.path) {
                    "python3 \"$CHECKOUT/Tests/patchpackTests/Feed/proxy.py\" \($0) \(server.port) \(bytes)"
                }
                do {
                    #expect(try await sync(source(broken, tls: false), in: storage) == [7])
                } catch {
                    failures += 1
                    #expect(error as? PatchError == PatchError(.feedUnavailable, ""), "\(bytes): \(error)")
                }
                broken.stop()
                #expect(try await sync(source(server, tls: false), in: storage) == [7], "after \(bytes) bytes")
            }
            #expect(failures >= 5, "\(failures)")
        }

        /// The server has a fault until the second pause, or for longer.
        @Test(arguments: [true, false]) func aPassingFaultIsTriedAgain(passes: Bool) async throws {
            let down = work.folder.at("down")
            let server = try nginx(tls: false, "if (-e \(down)) { return 503; }")
            let pauses = Mutex<[Duration]>([])
            let source = try source(server, tls: false, retries: 2) { pause in
                let isLast = pauses.withLock { pauses in
                    pauses.append(pause)
                    return pauses.count == 2
                }
                if isLast, passes { try FileManager.default.removeItem(atPath: down) }
            }
            #expect(try await sync(source) == [7])
            try work.folder.write("", to: "down")
            let error = try await failure(of: source)
            #expect(error == (passes ? nil : PatchError(.feedUnavailable, "")))
            let seconds = pauses.withLock { $0.map { $0 / .seconds(1) } }
            try #require(seconds.count == 2, "\(seconds)")
            #expect((0.5...1).contains(seconds[0]) && (2...4).contains(seconds[1]), "\(seconds)")
        }

        @Test func aCancelledTransferEnds() async throws {
            // It accepts a request, and never answers.
            let server = try WebServer(in: work.folder.path) {
                """
                python3 -c 'import socket, time
                client, _ = socket.create_server(("127.0.0.1", \($0))).accept()
                client.recv(1)
                open("asked", "w")
                time.sleep(600)'
                """
            }
            let source = try source(server, tls: false)
            let task = Task { try await source.fetch(.init("metadata/2.root.json", byteLimit: 1 << 20)) }
            while !FileManager.default.fileExists(atPath: work.folder.at("asked")) {
                try await Task.sleep(for: .milliseconds(1))
            }
            task.cancel()
            let error = await #expect(throws: PatchError.self) { try await task.value }
            #expect(error?.code == .cancelled && error?.message == "metadata/2.root.json: cancelled")
        }

        /// The server has a fault that may pass, and nobody waits for that.
        @Test func aTransferIsCancelledInAPauseToo() async throws {
            let server = try nginx(tls: false, "return 503;")
            let (paused, pauses) = AsyncStream.makeStream(of: Void.self)
            let source = try source(server, tls: false, retries: 1) { _ in
                pauses.finish()
                try await Task.sleep(for: .seconds(600))
            }
            let task = Task { try await source.fetch(.init("metadata/2.root.json", byteLimit: 1 << 20)) }
            for await _ in paused {}
            task.cancel()
            let error = await #expect(throws: PatchError.self) { try await task.value }
            #expect(error?.code == .cancelled && error?.message == "metadata/2.root.json: cancelled")
        }

        @Test(arguments: [
            "ftp://example.com/feed", "file:///tmp", "example.com", "https://example.com/feed?x=1", "https://a b/", "",
        ])
        func httpSourceWrongURLIsRefused(url: String) {
            #expect(throws: PatchError(.config, "")) { try HTTPSource(url) }
        }

        /// A cache serves the old timestamp and remembers that there is no second root, for longer than any test takes.
        @Test(.needs("varnish", "/usr/sbin/varnishd")) func syncStaleCacheKeepsNewerFiles() async throws {
            let server = try nginx(tls: false)
            try work.folder.write(
                "vcl 4.1; backend default { .host = \"127.0.0.1\"; .port = \"\(server.port)\"; }", to: "cache.vcl")
            let cache = try WebServer(in: work.folder.path) { port in
                """
                varnishd -F -j none -n \(work.folder.path)/varnish-\(port) -a 127.0.0.1:\(port) \
                  -f \(work.folder.path)/cache.vcl -s malloc,32m -p thread_pools=1 -t 86400
                """
            }
            #expect(try await sync(source(cache, tls: false)) == [7])
            try #require(try work.publish(["8.js"]).status == 0)
            let keys = ["root.pem", "release.pem", "online.pem", "new.pem"].flatMap { ["--key", $0] }
            try #require(try work.run(["rotate", "feed", "timestamp", "--add", "new-public.pem"] + keys).status == 0)
            // The cache still has the old timestamp, and no second root. The device sees only known files.
            #expect(try await sync(source(cache, tls: false)) == [7])
            #expect(try await sync(source(server, tls: false)) == [7, 8])
            // The device does not forget newer files because of an old cache.
            await #expect(throws: PatchError(.feedRollback, "")) { _ = try await sync(source(cache, tls: false)) }
            // A new device works with the cached files.
            #expect(try await sync(source(cache, tls: false), in: MemoryStorage()) == [7])
        }

        @Test(.needs("tinyproxy", "/usr/bin/tinyproxy")) func httpSourceProxyIsUsed() throws {
            let server = try nginx()
            let proxy = try WebServer(in: work.folder.path) { port in
                try work.folder.write(
                    "Port \(port)\nListen 127.0.0.1\nConnectPort \(server.port)\nLogFile \"\(work.folder.path)/proxy.log\"\n",
                    to: "tinyproxy-\(port).conf")
                return "tinyproxy -d -c tinyproxy-\(port).conf"
            }
            let arguments = [
                "check", "https://127.0.0.1:\(server.port)", "--root", "feed/metadata/1.root.json", "--cacert",
                "ca.pem",
            ]
            let run = try work.run(
                arguments, environment: ["https_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""])
            #expect(run.status == 0, "\(run.error)")
            #expect(String(decoding: try work.folder.read("proxy.log"), as: UTF8.self).contains("CONNECT"))
            let guarded = try WebServer(in: work.folder.path) { port in
                try work.folder.write(
                    "Port \(port)\nListen 127.0.0.1\nBasicAuth ada secret\n", to: "tinyproxy-\(port).conf")
                return "tinyproxy -d -c tinyproxy-\(port).conf"
            }
            let refused = try work.run(
                arguments, environment: ["https_proxy": "http://127.0.0.1:\(guarded.port)", "no_proxy": ""])
            #expect(refused.status == 36 && refused.error.contains("the proxy answered 407"), "\(refused.error)")
            #expect(refused.error.contains("the proxy wants a name and a password"), "\(refused.error)")
            proxy.stop()
            let without = try work.run(
                arguments, environment: ["https_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""])
            #expect(without.status == 36, "\(without.error)")
        }
    }

    private final class MemoryStorage: FeedStorage {
        private let items = Mutex<[String: [UInt8]]>([:])

        func read(_ name: String, limit: Int) -> [UInt8]? { items.withLock { $0[name] } }
        func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) { items.withLock { $0[name] = bytes } }
        func remove(_ name: String) throws(PatchError) { items.withLock { $0[name] = nil } }
    }

    /// A source that keeps its server alive.
    private struct ServedSource: FeedSource {
        let server: WebServer
        let source: HTTPSource

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            try await source.fetch(request)
        }
    }

    /// Records the requests and the replies.
    private final class CountingSource: FeedSource {
        private let source: ServedSource
        private let lines = Mutex<[String]>([])

        init(_ source: ServedSource) { self.source = source }

        var log: [String] { lines.withLock { $0 } }
        func reset() { lines.withLock { $0 = [] } }

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            let reply = try await source.fetch(request)
            let word =
                switch reply.content {
                case .bytes(let bytes): "\(bytes.count)"
                case .unchanged: "unchanged"
                case .missing: "missing"
                }
            lines.withLock { $0.append("\(request.path) \(word)") }
            return reply
        }
    }
#endif
