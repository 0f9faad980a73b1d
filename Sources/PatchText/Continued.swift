extension String {
    /// A library's sentence as the rest of a message: with a small first letter, unless it begins with a name such as `SSL`.
    package var asContinued: String {
        let isName = dropFirst().first.map { $0.isUppercase || $0.isNumber } ?? false
        return isName ? self : prefix(1).lowercased() + dropFirst()
    }
}
