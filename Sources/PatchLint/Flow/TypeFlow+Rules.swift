internal import PatchRunner

// The rule of each instruction. The comments are from Lua's `lopcodes.h`: R is a register, K a constant, RK either of them.

extension TypeFlow {
    /// Follows one instruction.
    ///
    /// - Returns: The instructions that follow it, with their states; nil if the next one follows, with `state`.
    mutating func step(_ index: Int, _ state: inout State) -> Ways? {
        let instruction = function.code[index]
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        switch instruction.opcode {
        // R[A] := R[B]
        case .move:
            if !state.facts.isEmpty { context.budget.pay(10 * state.facts.count) }
            state.copy(
                b, to: a, word: number(b, state, index), isShared: !(state.holdsTable(b) && isForInsert(a, state)))
        case .loadInteger: set(a, ValueType(.integer, .integer(Int64(instruction.signedBx))), at: index, &state)
        case .loadFloat: set(a, ValueType(.float, .float(Double(instruction.signedBx))), at: index, &state)
        case .loadConstant: set(a, type(ofConstant: instruction.bx), at: index, &state)
        case .loadLongConstant: set(a, .unknown, at: index, &state)
        case .loadFalse, .loadTrue: set(a, .boolean, at: index, &state)
        case .loadFalseAndSkip:
            set(a, .boolean, at: index, &state)
            return .one(index + 2, state)
        // R[A], R[A+1], ..., R[A+B] := nil
        case .loadNil: for register in a...a + b { set(register, .nil, at: index, &state) }

        // R[A] := UpValue[B]
        case .getUpvalue:
            let name = function.upvalues.indices.contains(b) ? function.upvalues[b].number : -1
            let type: ValueType =
                function.isEnvironment(b)
                ? ValueType(.table, .library("_G")) : upvalues.indices.contains(b) ? upvalues[b] : .unknown
            set(a, type, at: index, word: name, &state)
        case .setUpvalue: _ = kept(a, index, &state)
        // R[A] := UpValue[B][K[C]:shortstring]
        case .getGlobal:
            let type =
                function.isEnvironment(b)
                ? global(ofConstant: c)
                : upvalues.indices.contains(b) ? member(function.text(c), of: upvalues[b], nil, index) : .unknown
            set(a, type, at: index, word: function.textNumber(c) ?? -1, &state)
        // R[A] := R[B][R[C]]
        case .getTable:
            var type = element(of: state[b], key: state[c], word: name(b, state, index), index)
            if state[b].detail?.isArray == true, !context.setsMetatables {
                if isBehindEnd(index, key: c, of: b) { type = .nil }
                if state[c].detail == .counter, !context.setsZero, !isLookedAt(index) { checkFirst(index, state) }
            }
            read(from: b, &state)
            set(a, type, at: index, &state)
        // R[A] := R[B][C]
        case .getInteger:
            let key = ValueType(.integer, .integer(Int64(c)))
            let type = element(of: state[b], key: key, word: name(b, state, index), index)
            read(from: b, &state)
            set(a, type, at: index, &state)
        // R[A] := R[B][K[C]:shortstring]
        case .getField:
            let field = function.text(c)
            var type = member(field, of: state[b], name(b, state, index), index)
            let place = field.map { ValueFacts.Place(register: b, field: $0) }
            if let isNil = place.flatMap({ state.facts[$0]?.isNil }), !type.isUnknown, type.kinds.contains(.nil) {
                type = isNil ? .nil : type.whereTrue
            }
            read(from: b, &state)
            set(a, type, at: index, word: function.textNumber(c) ?? -1, &state)

        // UpValue[A][K[B]:shortstring] := RK(C)
        case .setGlobal:
            if !instruction.k { _ = kept(c, index, &state) }
            changed(&state)
        // R[A][R[B]] := RK(C), R[A][B] := RK(C)
        case .setTable, .setInteger:
            checkAssigned(state[a], name(a, state, index), index)
            let key =
                instruction.opcode == .setTable ? kept(b, index, &state) : ValueType(.integer, .integer(Int64(b)))
            let value = instruction.k ? type(ofConstant: c) : kept(c, index, &state)
            changed(&state)
            if instruction.opcode == .setTable, isBehindEnd(index, key: b, of: a) {
                append(value, to: a, &state)
            } else {
                put(value, at: key, of: a, &state)
            }
        // R[A][K[B]:shortstring] := RK(C)
        case .setField:
            checkAssigned(state[a], name(a, state, index), index)
            let value = instruction.k ? type(ofConstant: c) : kept(c, index, &state)
            checkWritten(value, function.text(b), of: state[a], index)
            if let field = function.text(b), mayMisfit(value, in: field, of: state[a]) {
                context.changes.add(field: field)
            }
            store(value, in: function.text(b), of: a, &state)

        // R[A] := {}
        case .newTable: set(a, ValueType(.table, .fields(ValueFields(), isShared: false)), at: index, &state)
        // R[A+1] := R[B]; R[A] := R[B][RK(C):string]
        case .getSelf:
            let (object, word) = (state[b], number(b, state, index))
            let method = instruction.k ? function.textNumber(c) : nil
            let type = self.method(
                method.map { function.name($0) }, of: object, name(b, state, index), index)
            if state.holdsTable(b) { state[b] = object.shared }
            set(a + 1, object.shared, at: index, word: word, &state)
            set(a, type, at: index, word: method ?? -1, &state)

        // R[A] := R[B] op sC, R[A] := R[B] op K[C], R[A] := R[B] op R[C]
        case .addInteger, .shiftRightInteger, .shiftLeftInteger: arithmetic(a, b, other: .integer, at: index, &state)
        case .addConstant, .subtractConstant, .multiplyConstant, .moduloConstant, .powerConstant, .divideConstant,
            .floorDivideConstant, .andConstant, .orConstant, .exclusiveOrConstant:
            arithmetic(a, b, other: type(ofConstant: c), at: index, &state)
        case .add, .subtract, .multiply, .modulo, .power, .divide, .floorDivide, .and, .or, .exclusiveOr, .shiftLeft,
            .shiftRight:
            arithmetic(a, b, c, at: index, &state)
        // They call a metamethod if the operation before them failed.
        case .metamethod, .metamethodInteger, .metamethodConstant: break
        // R[A] := -R[B], ~R[B]
        case .negate, .bitwiseNot: arithmetic(a, b, at: index, &state)
        // R[A] := not R[B]
        case .not: set(a, .boolean, at: index, &state)
        // R[A] := #R[B] (length operator)
        case .length:
            report(.operand, index, state[b], name(b, state, index), unless: lengths(state[b]), "takes the length of")
            checkLength(of: state[b], name(b, state, index), index)
            let isPlain = state[b].detail?.isArray ?? false || state[b].isNever([.table, .object])
            set(a, isPlain ? ValueType(.integer, .length) : .unknown, at: index, &state)
        // R[A] := R[A].. ... ..R[A + B - 1]
        case .concatenate:
            var isText = true
            for register in a..<a + b {
                let value = state[register]
                report(
                    .operand, index, value, name(register, state, index),
                    unless: tables(value).union(value.objects).union([.string, .integer, .float]), "joins")
                if !value.isPlain { isText = false }
            }
            set(a, isText ? .string : .unknown, at: index, &state)

        case .close: break
        // In the sandbox, only nil and false can be closed.
        case .toBeClosed:
            report(.operand, index, state[a], name(a, state, index), unless: [.nil, .boolean], "closes")
        // pc += sJ
        case .jump: return .one(index + 1 + instruction.jump, state)

        // if ((R[A] op R[B]) ~= k) then pc++
        case .equal:
            if reports {
                checkEquality(state[a], state[b], [name(a, state, index), name(b, state, index)], index)
            }
            return branches(index, instruction.k, state, state)
        case .less, .lessOrEqual:
            if reports {
                checkOrder(state[a], state[b], name(a, state, index) ?? name(b, state, index), index)
            }
            let order: ValueFacts.Order = instruction.opcode == .less ? .less : .lessOrEqual
            if let number = state[b].detail?.number { return compare(a, order, number, index, state) }
            if let number = state[a].detail?.number { return compare(b, order.mirrored, number, index, state) }
            return branches(index, instruction.k, state, state)
        // if ((R[A] == K[B]) ~= k) then pc++
        case .equalConstant:
            let constant = function.constant(b)
            if reports { checkEquality(state[a], type(ofConstant: b), [name(a, state, index)], index) }
            guard constant == .nil else { return equals(a, constant, index, state) }
            // A nil value is never anything else.
            if state[a].kinds == .nil {
                return .one(instruction.k ? jumpTarget(index) : index + 2, state)
            }
            var (isNil, isOther) = (state, state)
            if !state[a].isUnknown {
                if state[a].kinds.contains(.nil) { isNil[a] = .nil }
                if state[a].kinds != .nil { isOther[a] = state[a].whereTrue }
                note(isNil: true, a, index, &isNil)
                note(isNil: false, a, index, &isOther)
            }
            return branches(index, instruction.k, isNil, isOther)
        // if ((R[A] == sB) ~= k) then pc++
        case .equalInteger:
            let number = Int64(instruction.signedB)
            if reports {
                checkEquality(state[a], ValueType(.integer, .integer(number)), [name(a, state, index)], index)
            }
            return equals(a, .integer(number), index, state)
        // if ((R[A] op sB) ~= k) then pc++
        case .lessInteger, .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger:
            if reports { checkOrder(state[a], .integer, name(a, state, index), index) }
            let order: ValueFacts.Order =
                switch instruction.opcode {
                case .lessInteger: .less
                case .lessOrEqualInteger: .lessOrEqual
                case .greaterInteger: .greater
                default: .greaterOrEqual
                }
            return compare(a, order, Double(instruction.signedB), index, state)
        // if (not R[A] == k) then pc++
        case .test:
            // A nil value is never true, and neither is the constant of `until false`.
            if state[a].kinds == .nil || isFalse(a, before: index) {
                return .one(instruction.k ? index + 2 : jumpTarget(index), state)
            }
            var (isTrue, isFalse) = (state, state)
            isTrue[a] = state[a].whereTrue
            isFalse[a] = state[a].whereFalse
            if !state[a].isUnknown, state[a].kinds.contains(.nil) {
                note(isNil: false, a, index, &isTrue)
                if !state[a].kinds.contains(.boolean) { note(isNil: true, a, index, &isFalse) }
            }
            return branches(index, instruction.k, isTrue, isFalse)
        // if (not R[B] == k) then pc++ else R[A] := R[B]
        case .testAndSet:
            if state[b].kinds == .nil {
                var isFalse = state
                if !instruction.k { set(a, .nil, at: index, &isFalse) }
                return .one(instruction.k ? index + 2 : jumpTarget(index), isFalse)
            }
            var (isTrue, isFalse) = (state, state)
            // The value then has two names.
            isTrue[b] = state[b].whereTrue.shared
            isFalse[b] = state[b].whereFalse.shared
            if !state[b].isUnknown, state[b].kinds.contains(.nil) {
                note(isNil: false, b, index, &isTrue)
                if !state[b].kinds.contains(.boolean) { note(isNil: true, b, index, &isFalse) }
            }
            if instruction.k {
                set(a, isTrue[b].shared, at: index, &isTrue)
            } else {
                set(a, isFalse[b].shared, at: index, &isFalse)
            }
            return branches(index, instruction.k, isTrue, isFalse)

        // R[A], ... ,R[A+C-2] := R[A](R[A+1], ... ,R[A+B-1])
        case .call:
            let results = call(a, arguments: b == 0 ? nil : b - 1, index, &state)
            if results.ends {
                endings.insert(index)
                return Ways.none
            }
            if !state.facts.isEmpty { state.facts = state.facts.filter { $0.key.register < a } }
            context.budget.pay(max(0, state.count - a))
            state.forget(from: a)
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
            if results.ends {
                endings.insert(index)
            } else {
                checkResult(results.types.first ?? (results.isOpen ? .unknown : .nil), nil, index)
            }
            return Ways.none
        // return R[A], ... ,R[A+B-2]
        case .returnSome:
            if b == 1 {
                checkNoResult(index)
            } else {
                checkResult(state[a], reports ? name(a, state, index) : nil, index)
            }
            return Ways.none
        case .returnNone:
            checkNoResult(index)
            return Ways.none
        case .returnOne:
            checkResult(state[a], reports ? name(a, state, index) : nil, index)
            return Ways.none

        // update counters; if loop continues then pc-=Bx;
        case .forLoop:
            return .two(index + 1, state, index + 1 - instruction.bx, state)
        // <check values and prepare counters>; if not to run then pc+=Bx+1;
        case .forPrepare:
            for (offset, what) in ["first value", "limit", "step"].enumerated() where reports {
                report(
                    .operand, index, state[a + offset], name(a + offset, state, index), unless: .number,
                    "counts with the \(what)")
            }
            checkCount(state[a], state[a + 1], state[a + 2], index)
            var inside = state
            let isInteger = state[a].kinds == .integer && state[a + 2].kinds == .integer
            let begins = isInteger && state[a].detail == .integer(0) && state[a + 2].detail == .integer(1)
            set(
                a + 3, begins ? ValueType(.integer, .counter) : isInteger ? .integer : .number, at: index, &inside)
            return .two(index + 1, inside, index + 2 + instruction.bx, state)
        // create upvalue for R[A + 3]; pc+=Bx
        case .genericForPrepare: return .one(index + 1 + instruction.bx, state)
        // R[A+4], ... ,R[A+3+C] := R[A](R[A+1], R[A+2]);
        case .genericForCall:
            if reports {
                let word = name(a, state, index)
                report(
                    .operand, index, state[a], word, unless: calls(state[a]), "`for … in` calls",
                    hint: Self.hint(forLoopOver: state[a], word))
            }
            changed(&state)
            for offset in 0..<c { set(a + 4 + offset, .unknown, at: index, &state) }
            if case .iterator(let key, let value) = state[a].detail {
                set(a + 4, key, at: index, &state)
                if c > 1 { set(a + 5, value, at: index, &state) }
            }
        // if R[A+2] ~= nil then { R[A]=R[A+2]; pc -= Bx }
        case .genericForLoop: return .two(index + 1, state, index + 1 - instruction.bx, state)

        // R[A][C+i] := R[A+i], 1 <= i <= B
        case .setList:
            // An array with many kinds of values is not followed. A nil after the last element does not count.
            guard case .fields(let fields, isShared: false) = state[a].detail, fields.isEmpty, !instruction.k else {
                state[a] = .table
                break
            }
            var elements: [ValueType] = []
            var hasGap = false
            for register in a + 1..<a + 1 + min(b, 50) where register < state.count {
                let value = state[register]
                context.budget.pay(value.size * (elements.count + 1))
                if value.kinds == .nil { hasGap = true }
                guard value.isNever(.nil), !value.isUnknown else { continue }
                if hasGap, !elements.contains(.nil) { elements.append(.nil) }
                if !elements.contains(value), elements.count < 8 { elements.append(value) }
            }
            keep(ValueType(.table, .list(elements, isShared: false)), in: a, &state)
        // R[A] := closure(KPROTO[Bx])
        case .closure:
            // A local function captures itself before it exists.
            set(a, .function, at: index, &state)
            capture(instruction.bx, &state)
            if function.inner.indices.contains(instruction.bx),
                let number = helper(instruction.bx, in: a, at: index)
            {
                set(a, ValueType(.function, .helper(number)), at: index, &state)
            }
        // R[A], R[A+1], ..., R[A+C-2] = vararg
        case .variadic:
            for register in a..<(c == 0 ? a + 1 : a + c - 1) { set(register, .unknown, at: index, &state) }
            state.open = c == 0 ? a : nil
            state.openCount = nil
        case .prepareVariadic, .extraArgument: break
        case .unknown: return Ways.none
        }
        return nil
    }

    /// Advice on the loop that was meant by `for … in` without a function.
    private static func hint(forLoopOver value: ValueType, _ word: String?) -> String? {
        let word = word ?? "…"
        return switch value.kinds {
        case .table where value.detail?.isArray == true: "for _, element in ipairs(\(word)) do"
        case .table: "for key, value in pairs(\(word)) do"
        case .string: "for character in \(word):gmatch(\".\") do"
        case _ where value.isNever(ValueType.Kinds.all.subtracting(.number)):
            "a loop over numbers has a =: for i = 1, 10 do"
        default: nil
        }
    }

    // MARK: registers

    func set(_ register: Int, _ type: ValueType, at index: Int, word: Int32 = -1, _ state: inout State) {
        if !state.facts.isEmpty, register < state.count { context.budget.pay(10 * state.facts.count) }
        state.set(register, type, word: word)
    }

    /// The name that the script has for a register.
    func name(_ register: Int, _ state: State, _ index: Int) -> String? {
        let number = number(register, state, index)
        return number < 0 ? nil : function.name(number)
    }

    /// The number of the name that the script has for a register; -1 if there is none.
    private func number(_ register: Int, _ state: State, _ index: Int) -> Int32 {
        localNumber(register, at: index) ?? state.word(of: register)
    }

    private func type(ofConstant index: Int) -> ValueType {
        constants.indices.contains(index) ? constants[index] : .unknown
    }

    /// The type of the global that a constant names.
    private mutating func global(ofConstant index: Int) -> ValueType {
        guard globals.indices.contains(index) else { return .unknown }
        if let known = globals[index] { return known }
        let type = global(function.text(index))
        globals[index] = type
        return type
    }

    /// The instructions after a test: the target of the jump after it if its condition is `k`, else the instruction after the
    /// jump.
    private func branches(_ index: Int, _ k: Bool, _ isTrue: State, _ isFalse: State) -> Ways {
        .two(jumpTarget(index), k ? isTrue : isFalse, index + 2, k ? isFalse : isTrue)
    }

    /// Whether a register holds the first argument of `table.insert`, which does not keep it.
    private func isForInsert(_ register: Int, _ state: State) -> Bool {
        register > 0 && state.kinds(of: register - 1) == .function && !context.setsMetatables
            && state[register - 1].detail == .library("table.insert")
    }

    /// Whether a register has just got the constant false.
    private func isFalse(_ register: Int, before index: Int) -> Bool {
        guard index > 0, !leads[index] else { return false }
        return function.code[index - 1].opcode == .loadFalse && function.code[index - 1].a == register
    }

    /// The target of the jump after a test.
    private func jumpTarget(_ test: Int) -> Int {
        function.code.indices.contains(test + 1) ? test + 2 + function.code[test + 1].jump : test + 2
    }

    // MARK: positions

    /// Finds the length of a table whose keys are strings.
    private mutating func checkLength(of value: ValueType, _ word: String?, _ index: Int) {
        guard reports, !context.setsMetatables else { return }
        switch value.detail {
        case .dictionary(let key, _) where context.interface.isText(key): break
        case .structure(_, let written) where written.isEmpty: break
        default: return
        }
        report(
            .operand, index, word,
            "\(word.map { "#\($0)" } ?? "the length") is always 0: the keys of \(value) are strings",
            hint: "next(\(word ?? "table")) shows whether it has elements")
    }

    /// Finds a numeric loop that has no round, or fails.
    private mutating func checkCount(_ first: ValueType, _ limit: ValueType, _ step: ValueType, _ index: Int) {
        guard reports, case .integer(let step) = step.detail else { return }
        if step == 0 { return report(.operand, index, "for", "the step of the loop is 0, which is an error") }
        let isNever: Bool? =
            switch (first.detail, limit.detail) {
            case (.integer(let first), .integer(let limit)): step > 0 ? first > limit : first < limit
            case (.length, .integer(let limit)): step > 0 && limit <= 1
            case (.integer(let first), .length): step < 0 && first >= 1 && first <= 2
            default: nil
            }
        guard isNever == true else { return }
        report(
            .alwaysFalse, index, "for",
            "the loop has no round, or one: it counts \(step > 0 ? "up" : "down") to a limit that is not \(step > 0 ? "above" : "below") its first value",
            hint: step > 0 ? "a third number is the step: -1 counts down" : "a step of 1 counts up")
    }

    /// Whether an element is read or written at a position after the last one: `list[#list + 1]`.
    private func isBehindEnd(_ index: Int, key: Int, of list: Int) -> Bool {
        // The value that is written may be loaded in between.
        for place in stride(from: index - 2, through: max(1, index - 3), by: -1)
        where !leads[place + 1...index].contains(true) {
            let (add, length) = (function.code[place], function.code[place - 1])
            guard add.opcode == .addInteger, add.a == key else { continue }
            return add.signedC > 0 && length.opcode == .length && length.a == add.b && length.b == list
                && local(key, at: index) == nil
        }
        return false
    }

    /// Whether the value that an instruction reads is tested next, or is given a name.
    private func isLookedAt(_ index: Int) -> Bool {
        guard function.code.indices.contains(index + 1) else { return true }
        let (read, next) = (function.code[index], function.code[index + 1])
        return next.isTest && (next.a == read.a || next.opcode == .testAndSet && next.b == read.a)
            || local(read.a, at: index + 1) != nil
    }

    /// Finds a loop that begins at position 0 of an array, unless it has a test before the access.
    private mutating func checkFirst(_ index: Int, _ state: State) {
        let read = function.code[index]
        var place = index - 1
        while place >= 0, function.code[place].opcode != .forPrepare {
            guard !leads[place], !function.code[place].isTest, function.code[place].opcode != .genericForPrepare else {
                // The body of the loop also begins after a jump.
                if place > 0, !function.code[place].isTest, function.code[place - 1].opcode == .forPrepare {
                    place -= 1
                    break
                }
                return
            }
            place -= 1
        }
        guard place >= 0, function.code[place].a + 3 == read.c else { return }
        let (list, key) = (name(read.b, state, index), name(read.c, state, index) ?? "0")
        report(
            .unknownField, index, list ?? key,
            "\(list ?? "an array")[\(key)] is nil in the first round, in which \(key) is 0",
            hint: "an array begins at 1: for \(key) = 1, #\(list ?? "list") do")
    }

    // MARK: facts

    /// The place of the value in a register: a local name, or a field that has just been read from one.
    func place(of register: Int, _ index: Int) -> ValueFacts.Place? {
        guard !assignedWithin.contains(register) else { return nil }
        if local(register, at: index) != nil { return ValueFacts.Place(register: register, field: nil) }
        for back in 1...2 where index >= back {
            // Where paths meet, the value may be another one.
            if leads[index - back + 1] { return nil }
            guard function.code[index - back].a == register else { continue }
            let instruction = function.code[index - back]
            guard instruction.opcode == .getField, let field = function.text(instruction.c),
                !assignedWithin.contains(instruction.b), local(instruction.b, at: index) != nil
            else { return nil }
            return ValueFacts.Place(register: instruction.b, field: field)
        }
        return nil
    }

    /// Notes the result of a test of the value in a register.
    private func note(isNil: Bool, _ register: Int, _ index: Int, _ state: inout State) {
        guard let place = place(of: register, index), place.field != nil, state.facts.count < 20 else { return }
        state.facts[place, default: ValueFacts()].isNil = isNil
    }

    private func written(_ place: ValueFacts.Place, _ index: Int) -> String {
        let name = local(place.register, at: index) ?? ""
        return place.field.map { "\(name).\($0)" } ?? name
    }

    /// Follows a test of whether a value is a constant.
    private mutating func equals(
        _ register: Int, _ constant: Prototype.Constant?, _ index: Int, _ state: State
    ) -> Ways {
        var (isTrue, isFalse) = (state, state)
        isTrue[register] = state[register].whereTrue
        guard let constant, let place = place(of: register, index), state.facts.count < 20 else {
            return branches(index, function.code[index].k, isTrue, isFalse)
        }
        let facts = state.facts[place] ?? ValueFacts()
        // `x ~= 1` is a harmless repetition if x is known not to be 1.
        let isAgain = function.code[index].k && facts.excludes(constant)
        if reports, !isAgain, let reason = facts.reason(against: constant) {
            let word = written(place, index)
            report(
                .alwaysFalse, index, place.field ?? word,
                "\(word) is never \(constant.shown) here: an earlier test found that it \(reason)")
        }
        isTrue.facts[place, default: facts].add(isEqual: true, to: constant)
        isFalse.facts[place, default: facts].add(isEqual: false, to: constant)
        return branches(index, function.code[index].k, isTrue, isFalse)
    }

    /// Follows a test of how a value compares with a number.
    private mutating func compare(
        _ register: Int, _ order: ValueFacts.Order, _ number: Double, _ index: Int, _ state: State
    ) -> Ways {
        if reports, let detail = state[register].detail, let least = detail.least,
            order == .less ? number <= Double(least) : order == .lessOrEqual && number < Double(least)
        {
            reportLeast(detail, least, name(register, state, index), index)
        }
        guard let place = place(of: register, index), state.facts.count < 20 else {
            return branches(index, function.code[index].k, state, state)
        }
        let facts = state.facts[place] ?? ValueFacts()
        if reports, let reason = facts.reason(against: order, number) {
            let word = written(place, index)
            report(
                .alwaysFalse, index, place.field ?? word,
                "\(word) \(order.sign) \(number.shown) is never true here: an earlier test found that it \(reason)")
        }
        var (isTrue, isFalse) = (state, state)
        isTrue.facts[place, default: facts].add(order, number)
        isFalse.facts[place, default: facts].add(order.negated, number)
        return branches(index, function.code[index].k, isTrue, isFalse)
    }
}

extension ValueType {
    /// The type of a constant.
    init(constant: Prototype.Constant) {
        switch constant {
        case .boolean: self = .boolean
        case .integer(let number): self.init(.integer, .integer(number))
        case .float(let number): self.init(.float, .float(number))
        case .string(let text): self.init(.string, .text(text))
        case .nil: self = .nil
        }
    }
}
