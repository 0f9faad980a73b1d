import TestSupport
import Testing

/// The allowed names of a place to deploy to, and its form in messages.
@Suite(.ownThreads) struct PlaceTests {
    private let work: FeedReleaseFixture

    init() throws { work = try FeedReleaseFixture() }

    /// Only a bracket at the start of the host begins an IPv6 address.
    @Test func aPlaceMayHaveBrackets() throws {
        let run = try work.deploy(overSSH: "ada@machine:\(work.folder.path)/[a]x")
        #expect(run.status == 0, "\(run.error)")
        #expect(work.folder.exists("[a]x/metadata/timestamp.json"))
        #expect(try work.deploy(overSSH: "ada@[::1]:\(work.folder.path)/www").status == 0)
        for wrong in ["ada@[::1]:", "[::1]/x:y", "[::1", "machine::x", "ada@machine:"] {
            #expect(try work.deploy(overSSH: wrong).status == 64, "\(wrong)")
        }
    }

    /// rsync may see the closed pipe before the end of ssh, and then ends with another status.
    @Test(arguments: ["", "exec >&-; sleep 1; "]) func theReasonOfSSHIsTold(_ before: String) throws {
        try work.folder.write(
            "#!/bin/sh\necho 'Host key verification failed.' >&2\n\(before)exit 255\n", to: "bin/ssh", mode: 0o755)
        let run = try work.run(
            ["deploy", "feed", "--to", "machine:/www"], environment: ["PATH": "\(work.folder.at("bin")):/usr/bin:/bin"])
        #expect(run.status == 74 && run.error.contains("rsync: Host key verification failed."), "\(run.error)")
    }

    /// A quote followed by a combining mark is one `Character` with it.
    @Test(arguments: ["it's", "a'\u{301}$(touch made)b", "a'; touch made; '"])
    func aTemporaryFolderMayHaveQuotes(_ name: String) throws {
        let other = try TestFolder()
        try other.write([], to: "\(name)/file")
        let run = try work.deploy(overSSH: "machine:\(work.folder.path)/www", ["TMPDIR": other.at(name)])
        #expect(run.status == 0, "\(run.error)")
        #expect(!work.folder.exists("made") && work.folder.exists("www/metadata/timestamp.json"))
    }

    /// A URL in a message has no password.
    @Test(arguments: [
        ("s3://bucket/feed", "http://ada:PW-1@127.0.0.1:1"), ("s3://bucket/feed", "ada:PW-1@127.0.0.1:1"),
        ("s3://bucket/feed", "ftp://ada:PW-1@\u{301}127.0.0.1"), ("s3://ada:PW-1@bucket/feed", ""),
        ("rsync://ada:PW-1@127.0.0.1:1/feed", ""), ("rsync://ada:PW-1@host", ""), ("rsync://ada:PW-1@host/a;b", ""),
        ("gs://ada:PW-1@bucket", ""), ("https://ada:PW-1@127.0.0.1/feed", ""),
    ])
    func noMessageHasAPassword(_ place: String, _ endpoint: String) throws {
        let run = try work.run(
            ["deploy", "feed", "--to", place],
            environment: [
                "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": endpoint,
            ])
        #expect(run.status != 0 && !run.error.isEmpty)
        #expect(!run.error.contains("PW-1") && !run.text.contains("PW-1"), "\(run.error)")
        let served = try work.run(["status", place, "--root", "trusted.pem", "--allow-http"])
        #expect(
            served.status != 0 && !served.error.contains("PW-1") && !served.text.contains("PW-1"), "\(served.error)")
    }
}
