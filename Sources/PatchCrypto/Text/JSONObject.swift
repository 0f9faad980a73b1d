/// A JSON object whose members are read by name and type.
///
/// The manifest, the interface and the files of a feed are read with it.
package struct JSONObject: Sendable {
    /// Makes the error for an object from its place in the file, the member, and the fault.
    package typealias Fault = @Sendable (_ place: String, _ key: String?, _ what: String) -> PatchError

    package let members: [(key: String, value: JSONValue)]
    private let makePlace: @Sendable () -> String
    private let makeFault: Fault

    /// - Parameter place: The object's place, evaluated only for messages.
    /// - Throws: The fault if the value is not an object.
    package init(
        _ value: JSONValue?, _ place: @escaping @Sendable @autoclosure () -> String, fault: @escaping Fault
    ) throws(PatchError) {
        guard case .object(let members) = value else { throw fault(place(), nil, "expected an object") }
        self.members = members
        makePlace = place
        makeFault = fault
    }

    /// Where it is, such as `root.json: roles`.
    package var place: String { makePlace() }

    package subscript(key: String) -> JSONValue? { members.first { $0.key.isByteEqual(to: key) }?.value }

    /// - Throws: The fault if there is a member with another name.
    package func allow(_ keys: [String]) throws(PatchError) {
        for member in members where !keys.contains(where: { $0.isByteEqual(to: member.key) }) {
            throw makeFault(place, nil, "a member that is not known")
        }
    }

    /// - Throws: The fault if the member is missing, or not an object. The functions below throw it in the same way.
    package func object(_ key: String) throws(PatchError) -> JSONObject { try object(key, self[key]) }

    private func object(_ key: String, _ value: JSONValue?) throws(PatchError) -> JSONObject {
        try JSONObject(value, place.isEmpty ? key : "\(place): \(key)", fault: makeFault)
    }

    package func text(_ key: String) throws(PatchError) -> String {
        guard case .string(let text) = self[key] else { throw fault(key, "expected a string") }
        return text
    }

    package func list(_ key: String) throws(PatchError) -> [JSONValue] {
        guard case .array(let values) = self[key] else { throw fault(key, "expected a list") }
        return values
    }

    package func objects(_ key: String) throws(PatchError) -> [JSONObject] {
        var objects: [JSONObject] = []
        for value in try list(key) { objects.append(try object(key, value)) }
        return objects
    }

    package func texts(_ key: String) throws(PatchError) -> [String] {
        var texts: [String] = []
        for value in try list(key) {
            guard case .string(let text) = value else { throw fault(key, "expected a list of strings") }
            texts.append(text)
        }
        return texts
    }

    /// An object whose values are all strings, which must be there.
    package func table(_ key: String) throws(PatchError) -> [String: String] {
        var table: [String: String] = [:]
        guard case .object(let members) = self[key] else { throw fault(key, "expected an object") }
        for (name, value) in members {
            guard case .string(let text) = value else { throw fault(key, "expected an object of strings") }
            table[name] = text
        }
        return table
    }

    package func number(_ key: String, in range: ClosedRange<Int> = .min ... .max) throws(PatchError) -> Int {
        guard case .integer(let number) = self[key], range.contains(number) else {
            let least = range == .min ... .max ? "" : " from \(range.lowerBound)"
            throw fault(key, "expected a number\(least)")
        }
        return number
    }

    /// Reads a member with `read`; nil if there is no such member.
    package func optional<Value>(
        _ key: String, _ read: (String) throws(PatchError) -> Value
    ) throws(PatchError) -> Value? { self[key] == nil ? nil : try read(key) }

    package func flag(_ key: String) throws(PatchError) -> Bool {
        guard case .bool(let flag) = self[key] else { throw fault(key, "expected true or false") }
        return flag
    }

    package func moment(_ key: String) throws(PatchError) -> Timestamp {
        guard let moment = Timestamp(try text(key)) else { throw fault(key, "expected YYYY-MM-DDTHH:MM:SSZ") }
        return moment
    }

    package func fault(_ key: String, _ what: String) -> PatchError { makeFault(place, key, what) }
}
