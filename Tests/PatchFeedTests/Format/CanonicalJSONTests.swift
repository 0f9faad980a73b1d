import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed

@Suite(.ownThreads) struct CanonicalJSONTests {
    @Test(arguments: [
        (#"{ "b" : 1 , "a" : [ true , null , -7 ] }"#, #"{"a":[true,null,-7],"b":1}"#),
        (#"{"é":1,"z":2,"\u00e8":3}"#, #"{"z":2,"è":3,"é":1}"#), (#""a\n\t\u0000b""#, "\"a\n\t\u{0}b\""),
        (#""\"\\\/""#, #""\"\\/""#), (#"{"":{}}"#, #"{"":{}}"#), ("9223372036854775807", "9223372036854775807"),
    ])
    func canonicalJSONAnyValueHasOLPCForm(text: String, expected: String) throws {
        #expect(String(decoding: try JSONValue(parsing: Array(text.utf8)).canonical, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, "1.5", "1e3", "9223372036854775808", #""\ud800""#, "{", "[1,]", "",
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40), "\u{FEFF}{}",
    ])
    func jsonValueOutsideProfileIsMalformed(text: String) {
        #expect(throws: PatchError(.malformed, "")) { try JSONValue(parsing: Array(text.utf8)) }
    }

    /// The same bytes as from a few lines of Python, which do what the library does that python-tuf signs with.
    @Test func canonicalJSONSameValueAgreesWithPython() throws {
        let text = #"{"z":["\"q\\",{"é":-1,"e":"line\nfeed","Ω":[[],{}]}],"":null,"A":true}"#
        let line = """
            import json,sys
            def c(o):
                if isinstance(o, str): return '"' + o.replace('\\\\', '\\\\\\\\').replace('"', '\\\\"') + '"'
                if isinstance(o, list): return '[' + ','.join(map(c, o)) + ']'
                if isinstance(o, dict): return '{' + ','.join(c(k) + ':' + c(o[k]) for k in sorted(o)) + '}'
                return json.dumps(o)
            sys.stdout.write(c(json.loads(sys.argv[1])))
            """
        let run = try Tool.run("/usr/bin/python3", ["-c", line, text])
        #expect(try JSONValue(parsing: Array(text.utf8)).canonical == run.output, "\(run.error)")
    }
}
