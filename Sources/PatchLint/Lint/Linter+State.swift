internal import PatchCrypto
internal import PatchRunner

// The state that a script keeps from call to call. Each instance of a patch has its own state. So the author must
// declare that this does not matter, or that there may be only one instance.

extension Linter {
    /// Reports writes to variables and tables that outlive a call, unless the head declares how many instances there
    /// may be.
    mutating func checkState(_ functions: [Prototype]) {
        let head = head ?? (try? ScriptHead(of: scripts[0].bytes))
        guard head?.value(of: .instances) == nil else { return }
        let called = CalledFunctions(
            of: functions, definesClasses: outlines.contains { !$0.waxClasses.isEmpty }, budget)
        // A `__newindex` decides what becomes of a write to its table.
        let guardsTables = functions.flatMap(\.nested).contains { $0.constants.contains(.string("__newindex")) }
        for (function, text) in zip(functions, texts) {
            var writes = StateWrites(in: function, guardsTables: guardsTables, budget)
            called.each(in: function) { inner in
                if hasRoom { writes.find(in: inner) }
            }
            for write in writes.found where hasRoom {
                report(
                    .keepsState, in: text, line: write.line, word: write.name,
                    "\(write.name) is changed by a call, but each instance of the patch has its own",
                    hint: "add `-- @instances 1` to the head if a call must see it, or `-- @instances any` if not")
            }
        }
    }
}
