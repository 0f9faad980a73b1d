import PatchText
import TestSupport
import Testing

/// Sentences of libraries as the rest of a message.
@Suite(.ownThreads) struct ContinuedTests {
    @Test(arguments: [
        ("No such file or directory", "no such file or directory"), ("A timeout", "a timeout"), ("ÄRGER", "ÄRGER"),
        ("SSL connect error", "SSL connect error"), ("H2 is broken", "H2 is broken"), ("Éa", "éa"), ("A", "a"),
        ("", ""),
    ])
    func theFirstLetterIsSmallUnlessItBeginsAName(_ sentence: String, _ continued: String) {
        #expect(sentence.asContinued == continued)
    }
}
