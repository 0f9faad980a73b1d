/// The local names of a function, found by register and instruction.
struct LocalNames {
    /// For each register, the names that it has one after another.
    private var names: [[(name: String, range: Range<Int>)]] = []

    init(of function: Prototype) {
        // A name that is declared later ends no later, so those that are active are a stack, and its places are the registers.
        var ends: [Int] = []
        for local in function.locals {
            while let end = ends.last, end <= local.range.lowerBound { ends.removeLast() }
            if names.count == ends.count { names.append([]) }
            names[ends.count].append(local)
            ends.append(local.range.upperBound)
        }
    }

    /// The local name of a register at an instruction.
    func name(of register: Int, at index: Int) -> String? {
        guard names.indices.contains(register) else { return nil }
        let all = names[register]
        // The last one that begins at the instruction or before it.
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
        }
        guard low > 0, all[low - 1].range.contains(index), !all[low - 1].name.hasPrefix("(") else { return nil }
        return all[low - 1].name
    }
}
