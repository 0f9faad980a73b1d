/// The local names of a function, found by register and instruction.
struct LocalNames {
    /// The names, ordered by register and then by declaration.
    private var names: [Prototype.Local] = []
    /// For each register, the index of its first name; at the end, the number of names.
    private var starts: [Int]

    init(of function: Prototype) {
        // A name that is declared later ends no later. So the active names are a stack, whose positions are the
        // registers.
        var ends: [Int] = []
        var registers: [Int] = []
        registers.reserveCapacity(function.locals.count)
        ends.reserveCapacity(function.registers)
        starts = []
        starts.reserveCapacity(function.registers + 1)
        starts.append(0)
        for local in function.locals {
            while let end = ends.last, end <= local.range.lowerBound { ends.removeLast() }
            registers.append(ends.count)
            ends.append(local.range.upperBound)
            if starts.count <= ends.count { starts.append(0) }
            starts[ends.count] += 1
        }
        for register in starts.indices.dropFirst() { starts[register] += starts[register - 1] }
        guard let first = function.locals.first else { return }
        names = Array(repeating: first, count: function.locals.count)
        var next = starts
        for (local, register) in zip(function.locals, registers) {
            names[next[register]] = local
            next[register] += 1
        }
    }

    /// The local name of a register before an instruction; nil if the script has none for it.
    func local(of register: Int, at index: Int) -> Prototype.Local? {
        guard register >= 0, register + 1 < starts.count else { return nil }
        // The last name that begins at the instruction or before it.
        var (low, high) = (starts[register], starts[register + 1])
        while low < high {
            let middle = (low + high) / 2
            if names[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
        }
        guard low > starts[register], case let local = names[low - 1], local.range.contains(index), !local.isHidden
        else { return nil }
        return local
    }
}
