import PatchText
import TestSupport
import Testing

/// Metrics as text.
@Suite(.ownThreads) struct OpenMetricsTextTests {
    @Test func samplesFollowTheirFamily() {
        var text = OpenMetricsText()
        text.begin("patches", "gauge", help: "The active patches.")
        text.add("patches", [], 2)
        text.add("patches", [("app", "a\"b"), ("mode", "x\ny")], 0.5)
        #expect(
            text.text == """
                # HELP patches The active patches.
                # TYPE patches gauge
                patches 2
                patches{app="a\\"b",mode="x\\ny"} 0.5
                # EOF

                """)
    }
}
