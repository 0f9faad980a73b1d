import TestSupport
import Testing

@testable import patchpack

@Suite(.ownThreads) struct ManTests {
    /// The pages have no warnings. A page refers to others, which are not installed. `make check-deb` has lintian run
    /// groff.
    @Test(.needs("mandoc", "/usr/bin/mandoc"), .needs("lowdown", "/usr/bin/lowdown"))
    func manualPagesAreClean() throws {
        let folder = try TestFolder()
        let run = try Tool.shell(
            """
            PATCHPACK="$TOOL" "$CHECKOUT"/scripts/package/man.sh "$PWD" && ls man1 | wc -l
            mandoc -Tlint man1/* man5/* | grep -v 'referenced manual not found'
            mandoc -Tutf8 man1/patchpack-feed.1 | sed 's/.\u{8}//g' | grep -A1 -- '^     --online-key KEY$'
            """, in: folder.path)
        #expect(run.error.isEmpty, "\(run.error)")
        #expect(
            run.lines.map { $0.filter { !$0.isWhitespace } } == [
                "\(Verb.all.count + 1)", "--online-keyKEY", "Keythatoffers,pauses,withdrawsandrefreshes,publicor",
            ], "\(run.text)")
    }
}
