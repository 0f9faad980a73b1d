import PatchCrypto
import PatchText
import TestSupport
import Testing

/// An event's line.
@Suite(.ownThreads) struct EventRecordTests {
    @Test func aLineHasItsMembersInTheirOrder() {
        let record = EventRecord(.failed, patch: ("a.b", 2), [(.function, .string("Cart.total"))])
        let start = #"{"schema":"patchpack.event/1","timestamp":"now","severityNumber":17,"eventName":"failed","#
        let context: EventRecord.Members = [(.timestamp, .string("now"))]
        #expect(
            record.line(context)
                == start + #""attributes":{"patch.id":"a.b","patch.version":2,"code.function.name":"Cart.total"}}"#)
        #expect(
            record.repeated(3).line(context, isCut: true)
                == start + #""attributes":{"patch.id":"a.b","patch.version":2,"event.cut":true,"event.count":3}}"#)
        #expect(record.repeated(3).attributes.last?.key == .count && record.attributes.last?.key == .function)
    }

    @Test func aScriptsLineIsTheBody() {
        let record = EventRecord(.log, severity: .debug, body: "a\u{1B}b")
        #expect(record.message == "a\u{1B}b" && EventRecord(.log).message == EventRecord.Name.log.sentence)
        #expect(record.line().contains(#""severityNumber":5,"eventName":"log","body":"a\u001bb","attributes":{}"#))
        #expect(!record.line(isCut: true).contains("body"))
    }

    @Test func anErrorHasItsPlace() {
        let bare = PatchError(.io, "no space")
        #expect(bare.attributes.map(\.key) == [.error, .message])
        let placed = PatchError(.io, "no space", hint: "remove something", at: .init(file: "a", line: 3))
        #expect(placed.attributes.map(\.key) == [.error, .message, .hint, .file, .line])
        #expect(placed.attributes.last?.value.number == 3)
    }

    @Test(arguments: [
        (EventRecord.Name.loaded, EventRecord.Severity.info), (.waiting, .warn), (.refused, .warn), (.failed, .error),
        (.misused, .error), (.confirmed, .info),
    ])
    func aNameHasItsSeverity(name: EventRecord.Name, severity: EventRecord.Severity) {
        #expect(name.severity == severity && EventRecord(name).severity == severity)
    }
}
