import TestSupport
import Testing

@testable import patchpack

@Suite(.ownThreads) struct ManTests {
    /// The pages have no warnings from mandoc or groff. A page refers to others, which are not installed.
    @Test func manualPagesAreClean() throws {
        let folder = try TestFolder()
        let run = try Tool.shell(
            """
            PATCHPACK="$TOOL" "$CHECKOUT"/scripts/package/man.sh "$PWD" && ls man1 | wc -l
            mandoc -Tlint man1/* man5/* | grep -v 'referenced manual not found'
            for page in man1/* man5/*; do groff -k -t -mandoc -ww -rLL=100n -Tutf8 $page 2>&1 >out.txt; done
            mandoc -Tutf8 man1/patchpack-feed.1 | col -b | grep -A1 -- '^     --online-key KEY$'
            """, in: folder.path)
        #expect(run.error.isEmpty, "\(run.error)")
        #expect(
            run.lines.map { $0.filter { !$0.isWhitespace } } == [
                "\(Verb.all.count + 1)", "--online-keyKEY", "Keythatoffers,pauses,withdrawsandrefreshes,publicor",
            ], "\(run.text)")
    }
}
