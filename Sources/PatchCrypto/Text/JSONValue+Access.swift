extension JSONValue {
    /// A member of an object; nil if there is no such member, or the value is not an object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isByteEqual(to: key) }?.value
    }

    /// Sets a member of an object, or removes it if the value is nil. Another value than an object stays as it is.
    package mutating func set(_ key: String, _ value: JSONValue?) {
        guard case .object(var members) = self else { return }
        let index = members.firstIndex { $0.key.isByteEqual(to: key) }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((key, value))
        case (nil, nil): break
        }
        self = .object(members)
    }

    /// Changes a member of an object in place; one that is missing begins as an empty object. Another value than an
    /// object stays as it is.
    package mutating func change(_ key: String, _ body: (inout JSONValue) -> Void) {
        var value = self[key] ?? .object([])
        body(&value)
        set(key, value)
    }

    /// The members of an object; none for any other value.
    package var members: [(key: String, value: JSONValue)] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; none for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// A string; nil for any other value.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A number; nil for any other value.
    package var number: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// Whether it is true; nil for any other value.
    package var flag: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }
}
