internal import PatchCrypto

// The rule of each instruction. The comments are from Lua's `lopcodes.h`: R is a register, K a constant, RK either of
// them.

extension TypeFlow {
    /// Follows one instruction. Returns those that follow it, with their states; nil if the next one does, with
    /// `state`.
    mutating func step(_ index: Int, _ state: inout FlowState) -> FlowWays? {
        let instruction = function.code[index]
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        if context.setsMetatables, mayCallMetamethod(instruction, state) { forgetChangeable(&state) }
        switch instruction.opcode {
        case .move: move(instruction, index, &state)
        case .loadInteger: set(a, ValueType(.integer, .integer(Int64(instruction.signedBx))), at: index, &state)
        case .loadFloat: set(a, ValueType(.float, .float(Double(instruction.signedBx))), at: index, &state)
        case .loadConstant: set(a, loaded(constant: instruction.bx), at: index, &state)
        case .loadLongConstant: set(a, .unknown, at: index, &state)
        case .loadFalse, .loadTrue, .not: set(a, .boolean, at: index, &state)
        case .loadFalseAndSkip:
            set(a, .boolean, at: index, &state)
            return .one(index + 2, state)
        // R[A], R[A+1], ..., R[A+B] := nil
        case .loadNil: for register in a...a + b { set(register, .nil, at: index, &state) }
        case .getUpvalue: getUpvalue(instruction, index, &state)
        case .setUpvalue: _ = share(a, index, &state)
        case .getGlobal: getGlobal(instruction, index, &state)
        case .getTable: getTable(instruction, index, &state)
        // R[A] := R[B][C]
        case .getInteger:
            let type = element(of: state[b], key: ValueType(.integer, .integer(Int64(c))), index)
            read(from: b, &state)
            set(a, type, at: index, &state)
        case .getField: getField(instruction, index, &state)
        // UpValue[A][K[B]:shortstring] := RK(C)
        case .setGlobal: setGlobal(instruction, index, &state)
        case .setTable, .setInteger: setElement(instruction, index, &state)
        case .setField: setField(instruction, index, &state)
        // R[A] := {}
        case .newTable: set(a, ValueType(.table, .fields(ValueFields(), isShared: false)), at: index, &state)
        case .getSelf: getSelf(instruction, index, &state)
        // R[A] := R[B] op sC, R[A] := R[B] op K[C], R[A] := R[B] op R[C], R[A] := -R[B], ~R[B]
        case .addInteger, .shiftRightInteger, .shiftLeftInteger: arithmetic(instruction, .integer, index, &state)
        case .addConstant, .subtractConstant, .multiplyConstant, .moduloConstant, .powerConstant, .divideConstant,
            .floorDivideConstant, .andConstant, .orConstant, .exclusiveOrConstant:
            arithmetic(instruction, type(ofConstant: c), index, &state)
        case .add, .subtract, .multiply, .modulo, .power, .divide, .floorDivide, .and, .or, .exclusiveOr, .shiftLeft,
            .shiftRight:
            arithmetic(instruction, state[c], index, &state)
        case .negate, .bitwiseNot: arithmetic(instruction, nil, index, &state)
        // Metamethods are called if the operation before them failed.
        case .metamethod, .metamethodInteger, .metamethodConstant, .close, .toBeClosed, .prepareVariadic,
            .extraArgument:
            break
        // R[A] := #R[B] (length operator)
        case .length:
            let isPlain = state[b].detail?.isArray == true || state[b].isNever([.table, .object])
            set(a, isPlain ? .integer : .unknown, at: index, &state)
        // R[A] := R[A].. ... ..R[A + B - 1]
        case .concatenate:
            let isText = (a..<a + b).allSatisfy { state[$0].isPlain }
            set(a, isText ? .string : .unknown, at: index, &state)
        // pc += sJ
        case .jump: return .one(index + 1 + instruction.jump, state)
        // if ((R[A] op R[B]) ~= k) then pc++
        case .equal, .less, .lessOrEqual, .lessInteger, .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger:
            return branches(index, state, state)
        // if ((R[A] == K[B]) ~= k) then pc++
        case .equalConstant:
            return function.constant(b) == .nil ? equalsNil(a, index, state) : equals(a, index, state)
        // if ((R[A] == sB) ~= k) then pc++
        case .equalInteger: return equals(a, index, state)
        case .test: return test(instruction, index, state)
        case .testAndSet: return testAndSet(instruction, index, state)
        case .call: return call(instruction, index, &state)
        case .tailCall:
            _ = tailCall(index, &state)
            return FlowWays.none
        // return R[A], ... ,R[A+B-2]
        case .returnSome where b == 1, .returnNone:
            noteResult(nil)
            return FlowWays.none
        case .returnSome, .returnOne:
            noteResult(state[a])
            return FlowWays.none
        // update counters; if loop continues then pc-=Bx; if R[A+2] ~= nil then { R[A]=R[A+2]; pc -= Bx }
        case .forLoop, .genericForLoop: return .two(index + 1, state, index + 1 - instruction.bx, state)
        case .forPrepare: return forPrepare(instruction, index, state)
        // create upvalue for R[A + 3]; pc+=Bx
        case .genericForPrepare: return .one(index + 1 + instruction.bx, state)
        case .genericForCall: genericForCall(instruction, index, &state)
        case .setList: setList(instruction, &state)
        case .closure: closure(instruction, index, &state)
        // R[A], R[A+1], ..., R[A+C-2] = vararg
        case .variadic:
            for register in a..<(c == 0 ? a + 1 : a + c - 1) { set(register, .unknown, at: index, &state) }
            state.open = c == 0 ? a : nil
            state.openCount = nil
        case .unknown: return FlowWays.none
        }
        return nil
    }

    /// Whether an instruction may call a function of a table's metatable.
    private func mayCallMetamethod(_ instruction: Instruction, _ state: FlowState) -> Bool {
        func mayHaveMetatable(_ value: ValueType) -> Bool {
            switch value.detail {
            case .fields(_, isShared: false), .list(_, isShared: false), .library: false
            default: !value.isNever(.table)
            }
        }
        let (a, b) = (instruction.a, instruction.b)
        switch instruction.opcode {
        case .getTable, .getInteger, .getField, .getSelf, .negate, .bitwiseNot, .length:
            return mayHaveMetatable(state[b])
        case .getGlobal:
            return !function.isEnvironment(b) && mayHaveMetatable(type(ofUpvalue: b))
        case .metamethod, .equal, .less, .lessOrEqual:
            return mayHaveMetatable(state[a]) || mayHaveMetatable(state[b])
        case .metamethodInteger, .metamethodConstant, .lessInteger, .lessOrEqualInteger, .greaterInteger,
            .greaterOrEqualInteger:
            return mayHaveMetatable(state[a])
        default: return false
        }
    }

    // MARK: registers and upvalues

    /// R[A] := R[B]
    private func move(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, b) = (instruction.a, instruction.b)
        if !state.facts.isEmpty { context.budget.pay(10 * state.facts.count) }
        state.copy(
            b, to: a, word: number(b, state, index), isShared: !(state.holdsTable(b) && isForInsert(a, state)))
        // The script may examine the quotient that it passes on.
        if state.kinds(of: b) == .float, state[b].detail == .fraction { state[b] = .float }
    }

    /// Whether a register holds the first argument of `table.insert`, which does not keep it.
    private func isForInsert(_ register: Int, _ state: FlowState) -> Bool {
        register > 0 && state.kinds(of: register - 1) == .function && !context.setsMetatables
            && state[register - 1].detail == .library("table.insert")
    }

    /// R[A] := UpValue[B]
    private func getUpvalue(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let b = instruction.b
        let name = function.upvalues.indices.contains(b) ? function.upvalues[b].number : -1
        let type = function.isEnvironment(b) ? ValueType(.table, .library("_G")) : type(ofUpvalue: b)
        set(instruction.a, type, at: index, word: name, &state)
    }

    /// R[A] := UpValue[B][K[C]:shortstring]
    private mutating func getGlobal(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (b, c) = (instruction.b, instruction.c)
        let type =
            function.isEnvironment(b)
            ? context.global(function.text(c)) : member(function.text(c), of: type(ofUpvalue: b), index)
        set(instruction.a, type, at: index, word: function.textNumber(c) ?? -1, &state)
    }

    /// UpValue[A][K[B]:shortstring] := RK(C)
    private mutating func setGlobal(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, c) = (instruction.a, instruction.c)
        let value = instruction.k ? type(ofConstant: c) : share(c, index, &state)
        forgetChangeable(&state)
        guard !function.isEnvironment(a), let field = function.text(instruction.b) else { return }
        let table = type(ofUpvalue: a)
        noteField(field, value, of: table)
        if case .structure = table.detail { return }
        let key = ValueType(.string, .text(ExactString(field)))
        if let detail = table.detail, detail.isOfApp, !keepsType(value, at: key, of: table) {
            context.changes.add(detail)
        }
    }

    // MARK: tables

    /// R[A] := R[B][R[C]]
    private mutating func getTable(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (b, c) = (instruction.b, instruction.c)
        var type = element(of: state[b], key: state[c], index)
        if state[b].detail?.isArray == true, !context.setsMetatables, isBehindEnd(index, key: c, of: b) { type = .nil }
        read(from: b, &state)
        set(instruction.a, type, at: index, &state)
    }

    /// R[A] := R[B][K[C]:shortstring]
    private mutating func getField(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (b, c) = (instruction.b, instruction.c)
        let field = function.text(c)
        var type = member(field, of: state[b], index)
        let place = field.map { FieldPlace(register: b, field: $0) }
        if let isNil = place.flatMap({ state.facts[$0] }), !type.isUnknown, type.kinds.contains(.nil) {
            type = isNil ? .nil : type.whereTrue
        }
        read(from: b, &state)
        set(instruction.a, type, at: index, word: function.textNumber(c) ?? -1, &state)
    }

    /// R[A][R[B]] := RK(C), R[A][B] := RK(C)
    private mutating func setElement(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        let isTable = instruction.opcode == .setTable
        let key = isTable ? share(b, index, &state) : ValueType(.integer, .integer(Int64(b)))
        let value = instruction.k ? type(ofConstant: c) : share(c, index, &state)
        forgetChangeable(&state)
        noteElement(value, at: key, of: state[a])
        if isTable, isBehindEnd(index, key: b, of: a) {
            append(value, to: a, &state)
        } else {
            put(value, at: key, of: a, &state)
        }
    }

    /// R[A][K[B]:shortstring] := RK(C)
    private mutating func setField(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, c) = (instruction.a, instruction.c)
        let field = function.text(instruction.b)
        let value = instruction.k ? type(ofConstant: c) : share(c, index, &state)
        if let field { noteField(field, value, of: state[a]) }
        store(value, in: field, of: a, &state)
    }

    /// R[A+1] := R[B]; R[A] := R[B][RK(C):string]
    private func getSelf(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, b) = (instruction.a, instruction.b)
        let (object, word) = (state[b], number(b, state, index))
        let name = instruction.k ? function.textNumber(instruction.c) : nil
        if state.holdsTable(b) { state[b] = object.shared }
        set(a + 1, object.shared, at: index, word: word, &state)
        set(a, method(name.map { function.name($0) }, of: object), at: index, word: name ?? -1, &state)
    }

    /// R[A][C+i] := R[A+i], 1 <= i <= B
    private mutating func setList(_ instruction: Instruction, _ state: inout FlowState) {
        let a = instruction.a
        // An array with many kinds of values is not followed. A nil after the last element does not count.
        guard case .fields(let fields, isShared: false) = state[a].detail, fields.isEmpty, !instruction.k else {
            state[a] = ValueType(.table, .made)
            return
        }
        var elements: [ValueType] = []
        var hasGap = false
        for register in a + 1..<a + 1 + instruction.b where register < state.count {
            let value = state[register]
            context.budget.pay(value.size * (elements.count + 1))
            if value.kinds == .nil { hasGap = true }
            guard value.isNever(.nil), !value.isUnknown else { continue }
            if hasGap, !elements.contains(.nil) { elements.append(.nil) }
            if !elements.contains(value), elements.count < ValueFields.mostElements { elements.append(value) }
        }
        keep(ValueType(.table, .list(elements, isShared: false)), in: a, &state)
    }

    // MARK: operators

    /// Follows a calculation.
    ///
    /// - Parameter second: The second operand; nil if there is only one.
    private func arithmetic(
        _ instruction: Instruction, _ second: ValueType?, _ index: Int, _ state: inout FlowState
    ) {
        let first = state[instruction.b]
        let other = second ?? first
        // Neither of them may have a metamethod.
        let isPlain = first.isPlain && other.isPlain
        if instruction.examines, first.detail == .fraction { state[instruction.b] = .float }
        let result: ValueType
        switch instruction.opcode {
        case .divide, .divideConstant:
            let isFraction = isPlain && isUneven(instruction.b, index) && other.detail != .integer(1)
            let quotient = isFraction ? ValueType(.float, .fraction) : .float
            result = isPlain ? quotient : .unknown
        case .power, .powerConstant: result = isPlain ? .float : .unknown
        case .multiplyConstant where other.hasFraction && isUneven(instruction.b, index):
            result = first.isPlain ? ValueType(.float, .fraction) : .unknown
        default:
            if first.kinds == .integer, other.kinds == .integer {
                result = .integer
            } else if isPlain {
                let isFloat = first.kinds == .float || other.kinds == .float
                result = isFloat ? .float : .number
            } else {
                result = .unknown
            }
        }
        set(instruction.a, result, at: index, &state)
    }

    /// Whether a quotient of a value is likely to have a fraction.
    ///
    /// The value is an argument from the app, a field, or a length, and the script has not examined it.
    private func isUneven(_ register: Int, _ index: Int) -> Bool {
        if let name = local(register, at: index) {
            guard register < function.parameters, replacement != nil else { return false }
            context.budget.pay(index)
            // The instruction after a calculation names its operand, so an earlier calculation counts, too.
            return !function.code[..<index].contains { $0.opcode != .move && $0.a == register && !$0.isTest }
                && isSeen(name, before: index) == false
        }
        guard index > 0, !isBlockStart[index] else { return false }
        let last = function.code[index - 1]
        guard last.a == register, last.opcode == .length || last.opcode == .getField else { return false }
        return !context.examined.contains(last.opcode == .length ? "#" : function.text(last.c) ?? "#")
    }

    // MARK: tests

    /// if (not R[A] == k) then pc++
    private func test(_ instruction: Instruction, _ index: Int, _ state: FlowState) -> FlowWays {
        // A nil value is never true, and neither is the constant of `until false`.
        if state[instruction.a].kinds == .nil || isFalse(instruction.a, before: index, within: 1) {
            return .one(instruction.k ? index + 2 : function.jumpTarget(index), state)
        }
        let (isTrue, isFalse) = truth(of: instruction.a, index, isShared: false, state)
        return branches(index, isTrue, isFalse)
    }

    /// Whether one of the last instructions before an instruction has put the constant `false` into a register.
    func isFalse(_ register: Int, before index: Int, within count: Int = 20) -> Bool {
        for place in (max(0, index - count)..<index).reversed() {
            if isBlockStart[place + 1] { return false }
            let instruction = function.code[place]
            if instruction.writes(register) { return instruction.opcode == .loadFalse }
        }
        return false
    }

    /// if (not R[B] == k) then pc++ else R[A] := R[B]
    private func testAndSet(_ instruction: Instruction, _ index: Int, _ state: FlowState) -> FlowWays {
        let (a, b) = (instruction.a, instruction.b)
        if state[b].kinds == .nil {
            var isFalse = state
            if !instruction.k { set(a, .nil, at: index, &isFalse) }
            return .one(instruction.k ? index + 2 : function.jumpTarget(index), isFalse)
        }
        var (isTrue, isFalse) = truth(of: b, index, isShared: true, state)
        if instruction.k {
            set(a, isTrue[b].shared, at: index, &isTrue)
        } else {
            set(a, isFalse[b].shared, at: index, &isFalse)
        }
        return branches(index, isTrue, isFalse)
    }

    // MARK: calls and returns

    /// R[A], ... ,R[A+C-2] := R[A](R[A+1], ... ,R[A+B-1])
    private mutating func call(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) -> FlowWays? {
        let (a, c) = (instruction.a, instruction.c)
        let results = call(a, index, &state)
        if results.ends { return FlowWays.none }
        if !state.facts.isEmpty { state.facts = state.facts.filter { $0.key.register < a } }
        context.budget.pay(max(0, state.count - a))
        state.forget(from: a)
        for (offset, type) in results.types.enumerated() where c == 0 || offset < c - 1 {
            set(a + offset, type, at: index, &state)
        }
        if c > 1, !results.isOpen {
            for offset in (0..<c - 1).dropFirst(results.types.count) { set(a + offset, .nil, at: index, &state) }
        }
        state.open = c == 0 ? a : nil
        state.openCount = c == 0 && !results.isOpen ? results.types.count : nil
        return nil
    }

    /// return R[A](R[A+1], ... ,R[A+B-1]). Returns the first result; nil if the call never returns.
    mutating func tailCall(_ index: Int, _ state: inout FlowState) -> ValueType? {
        let results = call(function.code[index].a, index, &state)
        guard !results.ends else { return nil }
        noteResult(results.first)
        return results.first
    }

    /// Notes the first result of the function; nil if it returns none.
    private mutating func noteResult(_ value: ValueType?) {
        if value != nil { returnsValue = true }
        let value = value ?? .nil
        returned = returned?.joined(with: value) ?? value
    }

    /// R[A] := closure(KPROTO[Bx])
    private mutating func closure(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, inner) = (instruction.a, instruction.bx)
        // A local function captures itself before it exists.
        set(a, .function, at: index, &state)
        capture(inner, &state)
        if function.inner.indices.contains(inner), let number = helper(inner, in: a, at: index) {
            set(a, context.helpers.all[number].type, at: index, &state)
        }
    }

    // MARK: loops

    /// <check values and prepare counters>; if not to run then pc+=Bx+1;
    private func forPrepare(_ instruction: Instruction, _ index: Int, _ state: FlowState) -> FlowWays {
        let (first, step) = (state[instruction.a], state[instruction.a + 2])
        var inside = state
        let isInteger = first.kinds == .integer && step.kinds == .integer
        let counter: ValueType
        if isInteger, first.detail == .integer(0), step.detail == .integer(1) {
            counter = ValueType(.integer, .counter)
        } else {
            counter = isInteger ? .integer : .number
        }
        set(instruction.a + 3, counter, at: index, &inside)
        return .two(index + 1, inside, index + 2 + instruction.bx, state)
    }

    /// R[A+4], ... ,R[A+3+C] := R[A](R[A+1], R[A+2]);
    private func genericForCall(_ instruction: Instruction, _ index: Int, _ state: inout FlowState) {
        let (a, c) = (instruction.a, instruction.c)
        forgetChangeable(&state)
        for offset in 0..<c { set(a + 4 + offset, .unknown, at: index, &state) }
        if case .iterator(let key, let value) = state[a].detail {
            set(a + 4, key, at: index, &state)
            if c > 1 { set(a + 5, value, at: index, &state) }
        }
    }
}
