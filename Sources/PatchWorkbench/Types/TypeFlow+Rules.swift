// The rule of each instruction. The comments are those of Lua's `lopcodes.h`: R is a register, K a constant, RK one of the two.

extension TypeFlow {
    /// Follows one instruction. Returns where it goes on, and with what; nil if it is the next one, with the state.
    mutating func step(_ index: Int, _ state: inout State) -> [(Int, State)]? {
        let instruction = function.code[index]
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        switch instruction.opcode {
        // R[A] := R[B]
        case .move:
            let value = state[b]
            state[b] = value.shared
            set(a, value.shared, at: index, word: name(b, state, index), &state)
        case .loadInteger: set(a, ValueType(.integer, .integer(Int64(instruction.signedBx))), at: index, &state)
        case .loadFloat: set(a, ValueType(.float, .float(Double(instruction.signedBx))), at: index, &state)
        case .loadConstant: set(a, type(of: function.constant(instruction.bx)), at: index, &state)
        case .loadLongConstant: set(a, .unknown, at: index, &state)
        case .loadFalse, .loadTrue: set(a, .boolean, at: index, &state)
        case .loadFalseAndSkip:
            set(a, .boolean, at: index, &state)
            return [(index + 2, state)]
        // R[A], R[A+1], ..., R[A+B] := nil
        case .loadNil: for register in a...a + b { set(register, .nil, at: index, &state) }

        // R[A] := UpValue[B]
        case .getUpvalue:
            let name = function.upvalues.indices.contains(b) ? function.upvalues[b].name : nil
            let type: ValueType =
                function.isEnvironment(b)
                ? ValueType(.table, .library("_G")) : upvalues.indices.contains(b) ? upvalues[b] : .unknown
            set(a, type, at: index, word: name, &state)
        case .setUpvalue: break
        // R[A] := UpValue[B][K[C]:shortstring]
        case .getGlobal:
            let name = function.text(c)
            let type =
                function.isEnvironment(b)
                ? global(name) : upvalues.indices.contains(b) ? member(name, of: upvalues[b], nil, index) : .unknown
            set(a, type, at: index, word: name, &state)
        // R[A] := R[B][R[C]]
        case .getTable:
            let type = element(of: state[b], key: state[c], word: name(b, state, index), index)
            set(a, type, at: index, &state)
        // R[A] := R[B][C]
        case .getInteger:
            set(a, element(of: state[b], key: .integer, word: name(b, state, index), index), at: index, &state)
        // R[A] := R[B][K[C]:shortstring]
        case .getField:
            let field = function.text(c)
            let type = member(field, of: state[b], name(b, state, index), index)
            set(a, type, at: index, word: field, &state)

        // UpValue[A][K[B]:shortstring] := RK(C)
        case .setGlobal: changed(&state)
        // R[A][R[B]] := RK(C), R[A][B] := RK(C)
        case .setTable, .setInteger:
            checkIndexed(state[a], name(a, state, index), index)
            changed(&state)
            switch state[a].detail {
            case .fields, .list: state[a] = .table
            default: break
            }
        // R[A][K[B]:shortstring] := RK(C)
        case .setField:
            checkIndexed(state[a], name(a, state, index), index)
            let value = (instruction.k ? type(of: function.constant(c)) : state[c]).shared
            if !instruction.k { state[c] = value }
            store(value, in: function.text(b), of: a, &state)

        // R[A] := {}
        case .newTable: set(a, ValueType(.table, .fields(ValueFields(), isShared: false)), at: index, &state)
        // R[A+1] := R[B]; R[A] := R[B][RK(C):string]
        case .getSelf:
            let (object, word) = (state[b], name(b, state, index))
            let method = instruction.k ? function.text(c) : nil
            let type = self.method(method, of: object, word, index)
            set(a + 1, object.shared, at: index, word: word, &state)
            set(a, type, at: index, word: method, &state)

        // R[A] := R[B] op sC, R[A] := R[B] op K[C], R[A] := R[B] op R[C]
        case .addInteger, .shiftRightInteger, .shiftLeftInteger: arithmetic(a, [b], other: .integer, index, &state)
        case .addConstant, .subtractConstant, .multiplyConstant, .moduloConstant, .powerConstant, .divideConstant,
            .floorDivideConstant, .andConstant, .orConstant, .exclusiveOrConstant:
            arithmetic(a, [b], other: type(of: function.constant(c)), index, &state)
        case .add, .subtract, .multiply, .modulo, .power, .divide, .floorDivide, .and, .or, .exclusiveOr, .shiftLeft,
            .shiftRight:
            arithmetic(a, [b, c], other: nil, index, &state)
        // They call a metamethod if the operation before them could not be done.
        case .metamethod, .metamethodInteger, .metamethodConstant: break
        // R[A] := -R[B], ~R[B]
        case .negate, .bitwiseNot: arithmetic(a, [b], other: nil, index, &state)
        // R[A] := not R[B]
        case .not: set(a, .boolean, at: index, &state)
        // R[A] := #R[B] (length operator)
        case .length:
            report(.operand, index, state[b], name(b, state, index), unless: lengths(state[b]), "takes the length of")
            set(a, state[b].isNever([.table, .object]) ? .integer : .unknown, at: index, &state)
        // R[A] := R[A].. ... ..R[A + B - 1]
        case .concatenate:
            var isText = true
            for register in a..<a + b {
                let value = state[register]
                report(
                    .operand, index, value, name(register, state, index),
                    unless: tables(value).union([.string, .integer, .float, .object]), "joins")
                if !value.isNever([.table, .object]) { isText = false }
            }
            set(a, isText ? .string : .unknown, at: index, &state)

        case .close, .toBeClosed: break
        // pc += sJ
        case .jump: return [(index + 1 + instruction.jump, state)]

        // if ((R[A] op R[B]) ~= k) then pc++
        case .equal:
            checkEquality(state[a], state[b], [name(a, state, index), name(b, state, index)], index)
            return branches(index, instruction.k, state, state)
        case .less, .lessOrEqual:
            checkOrder(state[a], state[b], name(a, state, index) ?? name(b, state, index), index)
            return branches(index, instruction.k, state, state)
        // if ((R[A] == K[B]) ~= k) then pc++
        case .equalConstant:
            let constant = function.constant(b)
            checkEquality(state[a], type(of: constant), [name(a, state, index)], index)
            guard constant == .nil else { return branches(index, instruction.k, state, state) }
            var (isNil, isOther) = (state, state)
            if !state[a].isUnknown {
                if state[a].kinds.contains(.nil) { isNil[a] = .nil }
                if state[a].kinds != .nil { isOther[a] = state[a].whereTrue }
            }
            return branches(index, instruction.k, isNil, isOther)
        // if ((R[A] == sB) ~= k) then pc++
        case .equalInteger:
            checkEquality(state[a], .integer, [name(a, state, index)], index)
            return branches(index, instruction.k, state, state)
        // if ((R[A] op sB) ~= k) then pc++
        case .lessInteger, .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger:
            checkOrder(state[a], .integer, name(a, state, index), index)
            return branches(index, instruction.k, state, state)
        // if (not R[A] == k) then pc++
        case .test:
            // What is nil is never true.
            if state[a].kinds == .nil {
                return [(instruction.k ? index + 2 : jumpTarget(index), state)]
            }
            var (isTrue, isFalse) = (state, state)
            isTrue[a] = state[a].whereTrue
            isFalse[a] = state[a].whereFalse
            return branches(index, instruction.k, isTrue, isFalse)
        // if (not R[B] == k) then pc++ else R[A] := R[B]
        case .testAndSet:
            if state[b].kinds == .nil {
                var isFalse = state
                if !instruction.k { set(a, .nil, at: index, &isFalse) }
                return [(instruction.k ? index + 2 : jumpTarget(index), isFalse)]
            }
            var (isTrue, isFalse) = (state, state)
            isTrue[b] = state[b].whereTrue
            isFalse[b] = state[b].whereFalse
            if instruction.k {
                set(a, isTrue[b].shared, at: index, &isTrue)
            } else {
                set(a, isFalse[b].shared, at: index, &isFalse)
            }
            return branches(index, instruction.k, isTrue, isFalse)

        // R[A], ... ,R[A+C-2] := R[A](R[A+1], ... ,R[A+B-1])
        case .call:
            let results = call(a, arguments: b == 0 ? nil : b - 1, index, &state)
            if results.ends { return [] }
            context.budget.pay(max(0, state.registers.count - a))
            for register in state.registers.indices.dropFirst(a) { state.registers[register] = .unknown }
            for (offset, type) in results.types.enumerated() where c == 0 || offset < c - 1 {
                set(a + offset, type, at: index, &state)
            }
            if c > 1, !results.isOpen {
                for offset in results.types.count..<max(results.types.count, c - 1) {
                    set(a + offset, .nil, at: index, &state)
                }
            }
            state.open = c == 0 ? a : nil
            state.openCount = c == 0 && !results.isOpen ? results.types.count : nil
        // return R[A](R[A+1], ... ,R[A+B-1])
        case .tailCall:
            let results = call(a, arguments: b == 0 ? nil : b - 1, index, &state)
            if !results.ends { checkResult(results.types.first ?? (results.isOpen ? .unknown : .nil), index) }
            return []
        // return R[A], ... ,R[A+B-2]
        case .returnSome:
            if b == 1 { checkNoResult(index) } else { checkResult(state[a], index) }
            return []
        case .returnNone:
            checkNoResult(index)
            return []
        case .returnOne:
            checkResult(state[a], index)
            return []

        // update counters; if loop continues then pc-=Bx;
        case .forLoop:
            return [(index + 1, state), (index + 1 - instruction.bx, state)]
        // <check values and prepare counters>; if not to run then pc+=Bx+1;
        case .forPrepare:
            for (offset, what) in ["first value", "limit", "step"].enumerated() {
                report(
                    .operand, index, state[a + offset], name(a + offset, state, index), unless: .number,
                    "counts with the \(what)")
            }
            var inside = state
            let isInteger = state[a].kinds == .integer && state[a + 2].kinds == .integer
            set(a + 3, isInteger ? .integer : .number, at: index, &inside)
            return [(index + 1, inside), (index + 2 + instruction.bx, state)]
        // create upvalue for R[A + 3]; pc+=Bx
        case .genericForPrepare: return [(index + 1 + instruction.bx, state)]
        // R[A+4], ... ,R[A+3+C] := R[A](R[A+1], R[A+2]);
        case .genericForCall:
            report(.operand, index, state[a], name(a, state, index), unless: calls(state[a]), "calls")
            changed(&state)
            for offset in 0..<c { set(a + 4 + offset, .unknown, at: index, &state) }
            if case .iterator(let key, let value) = state[a].detail {
                set(a + 4, key, at: index, &state)
                if c > 1 { set(a + 5, value, at: index, &state) }
            }
        // if R[A+2] ~= nil then { R[A]=R[A+2]; pc -= Bx }
        case .genericForLoop: return [(index + 1, state), (index + 1 - instruction.bx, state)]

        // R[A][C+i] := R[A+i], 1 <= i <= B
        case .setList:
            // Elements that are not there are nil, and an array of many kinds of values is not followed.
            guard case .fields(let fields, isShared: false) = state[a].detail, fields.isEmpty, !instruction.k else {
                state[a] = .table
                break
            }
            var elements: [ValueType] = []
            for register in a + 1..<a + 1 + min(b, 50) where register < state.registers.count {
                let value = state[register].shared
                state[register] = value
                if value.isNever(.nil), !value.isUnknown, !elements.contains(value), elements.count < 8 {
                    elements.append(value)
                }
            }
            let list = ValueType(.table, .list(elements, isShared: false))
            state[a] = list.size < ValueFields.most && list.depth <= ValueFields.deepest ? list : .table
        // R[A] := closure(KPROTO[Bx])
        case .closure:
            // A local function captures itself before it is there.
            set(a, .function, at: index, &state)
            capture(instruction.bx, &state)
        // R[A], R[A+1], ..., R[A+C-2] = vararg
        case .variadic:
            for register in a..<(c == 0 ? a + 1 : a + c - 1) { set(register, .unknown, at: index, &state) }
            state.open = c == 0 ? a : nil
            state.openCount = nil
        case .prepareVariadic, .extraArgument: break
        case .unknown: return []
        }
        return nil
    }

    // MARK: registers

    private func set(_ register: Int, _ type: ValueType, at index: Int, word: String? = nil, _ state: inout State) {
        guard state.registers.indices.contains(register) else { return }
        state.registers[register] = Register(type: type, word: word)
    }

    /// The name that the script has for a register.
    func name(_ register: Int, _ state: State, _ index: Int) -> String? {
        local(register, at: index)
            ?? (state.registers.indices.contains(register) ? state.registers[register].word : nil)
    }

    private func type(of constant: Prototype.Constant?) -> ValueType {
        switch constant {
        case .boolean: .boolean
        case .integer(let number): ValueType(.integer, .integer(number))
        case .float(let number): ValueType(.float, .float(number))
        case .string(let text): ValueType(.string, .text(text))
        case .nil: .nil
        case nil: .unknown
        }
    }

    /// Where a test goes on: at the jump after it if its condition is `k`, else after that.
    private func branches(_ index: Int, _ k: Bool, _ isTrue: State, _ isFalse: State) -> [(Int, State)] {
        [(jumpTarget(index), k ? isTrue : isFalse), (index + 2, k ? isFalse : isTrue)]
    }

    /// Where the jump after a test leads.
    private func jumpTarget(_ test: Int) -> Int {
        function.code.indices.contains(test + 1) ? test + 2 + function.code[test + 1].jump : test + 2
    }

    // MARK: tables

    /// Forgets what else may have changed.
    func changed(_ state: inout State) {
        context.budget.pay(2 * state.registers.count)
        for register in state.registers.indices { state[register] = state[register].afterChange }
    }

    private func store(_ value: ValueType, in field: String?, of register: Int, _ state: inout State) {
        let type = state[register]
        switch type.detail {
        case .fields(_, isShared: true), .list(_, isShared: true): changed(&state)
        default: break
        }
        if case .structure = type.detail { changed(&state) }
        if case .fields(var fields, isShared: false) = type.detail, let field, fields.count < 100,
            fields.set(field, to: value)
        {
            state[register] = ValueType(.table, .fields(fields, isShared: false))
        } else if case .structure(let name, var written) = type.detail, let field {
            state[register] =
                written.set(field, to: value) ? ValueType(type.kinds, .structure(name, written)) : .unknown
        } else {
            switch type.detail {
            case .fields, .list: state[register] = .table
            default: break
            }
        }
    }

    /// Notes what a function that is made captures. What its table holds may change later.
    private mutating func capture(_ index: Int, _ state: inout State) {
        guard function.inner.indices.contains(index) else { return }
        let inner = function.inner[index]
        var types: [ValueType] = []
        for upvalue in inner.upvalues {
            if upvalue.isInStack, state.registers.indices.contains(upvalue.index) {
                state[upvalue.index] = state[upvalue.index].shared
                let isFinal = isAssignedOnce(upvalue.index, name: upvalue.name)
                types.append(isFinal ? state[upvalue.index].captured : .unknown)
            } else {
                types.append(upvalues.indices.contains(upvalue.index) ? upvalues[upvalue.index] : .unknown)
            }
        }
        context.budget.pay(types.reduce(10) { $0 + 2 * $1.size })
        captured[index] = captured[index].map { zip($0, types).map { $0.joined(with: $1) } } ?? types
    }

    /// Whether a local name gets its value where it is declared, and nowhere else.
    private mutating func isAssignedOnce(_ register: Int, name: String) -> Bool {
        let key = "\(register) \(name)"
        if let known = assignedOnce[key] { return known }
        context.budget.pay(function.locals.count)
        let isOnce = isAssigned(register, onceAs: name)
        assignedOnce[key] = isOnce
        return isOnce
    }

    private func isAssigned(_ register: Int, onceAs name: String) -> Bool {
        let ranges = function.locals.filter { $0.name == name }.map(\.range)
        guard ranges.count == 1, let range = ranges.first, !assignedWithin.contains(register) else { return false }
        context.budget.pay(range.count)
        return !range.contains { index in
            guard function.code.indices.contains(index) else { return false }
            let instruction = function.code[index]
            switch instruction.opcode {
            case .setGlobal, .setTable, .setInteger, .setField, .setUpvalue, .returnSome, .returnNone, .returnOne,
                .jump,
                .test, .close, .setList, .metamethod, .metamethodInteger, .metamethodConstant, .extraArgument:
                return false
            case .loadNil: return (instruction.a...instruction.a + instruction.b).contains(register)
            case .call: return instruction.a <= register && register < instruction.a + max(1, instruction.c - 1)
            case .getSelf: return instruction.a == register || instruction.a + 1 == register
            case _ where instruction.isTest && instruction.opcode != .testAndSet: return false
            default: return instruction.a == register
            }
        }
    }
}

extension TypeFlow.State {
    /// The type of a register.
    subscript(register: Int) -> ValueType {
        get { registers.indices.contains(register) ? registers[register].type : .unknown }
        set { if registers.indices.contains(register) { registers[register].type = newValue } }
    }
}

extension ValueType {
    /// The value for a function that runs later.
    fileprivate var captured: ValueType {
        switch detail {
        case .fields, .list: ValueType(kinds)
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        default: self
        }
    }
}
