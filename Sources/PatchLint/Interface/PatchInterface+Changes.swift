package import PatchCrypto
package import PatchRunner

extension PatchInterface {
    /// A difference between two versions of an interface.
    package struct Change: Sendable {
        /// Whether it could break a patch for the older interface.
        package let isBreaking: Bool
        /// The change, such as `Cart.total is gone`.
        package let description: String

        fileprivate static func breaking(_ description: String) -> Change {
            Change(isBreaking: true, description: description)
        }
    }

    /// The changes from this interface to a newer one, the breaking ones first.
    package func changes(to newer: PatchInterface) -> [Change] {
        let isOther = !app.isByteEqual(to: newer.app)
        let other = isOther ? [Change.breaking("the app was \(app) and is now \(newer.app)")] : []
        var changes = Self.changes(functions, newer.functions) { $0 }
        changes += Self.changes(structs, newer.structs, by: \.name) {
            "the struct \($0.name)"
        } changed: {
            Self.changes($0, $1)
        }
        let newScalars = NameIndex(newer.scalars, by: \.name)
        for scalar in scalars { changes += Self.changes(scalar, newScalars[scalar.name]) }
        changes += Self.changes(classes, newer.classes, by: \.name) {
            "the class \($0.name)"
        } changed: { exposed, other in
            Self.changes(exposed.methods, other.methods) { "\(exposed.name):\($0)" }
        }
        return other + changes.filter(\.isBreaking) + changes.filter { !$0.isBreaking }
    }

    /// Why a patch does not fit this app or this version of it; nil if it fits.
    package func refusal(of manifest: Manifest) -> String? {
        guard manifest.app.isByteEqual(to: app) else {
            return "the patch is for the app \(manifest.app), but the interface is for \(app)"
        }
        guard let version = AppVersion(appVersion), !manifest.appVersions.contains(version) else { return nil }
        return "the patch is for app versions \(manifest.appVersions), but the interface is for \(appVersion)"
    }

    /// The changes of elements with names: those that are gone or have changed, and those that are new.
    ///
    /// - Parameters:
    ///   - words: An element as messages name it.
    ///   - type: Its type, after the words for a new element.
    ///   - isNeeded: Whether a new element breaks a patch that does not have it.
    ///   - changed: The changes of an element from its older form to its newer one.
    private static func changes<Element>(
        _ older: [Element], _ newer: [Element], by name: (Element) -> String, _ words: (Element) -> String,
        type: (Element) -> String = { _ in "" }, isNeeded: (Element) -> Bool = { _ in false },
        changed: (Element, Element) -> [Change]
    ) -> [Change] {
        let (oldElements, newElements) = (NameIndex(older, by: name), NameIndex(newer, by: name))
        let changes = older.flatMap { element in
            newElements[name(element)].map { changed(element, $0) } ?? [.breaking("\(words(element)) is gone")]
        }
        return changes
            + newer.filter { oldElements[name($0)] == nil }.map {
                Change(isBreaking: isNeeded($0), description: "\(words($0)) is new\(type($0))")
            }
    }

    /// A type as scripts see it: bytes are a string, which is their name in older interfaces.
    private static func seen(_ type: String) -> String {
        type.split(separator: " ", omittingEmptySubsequences: false).map { $0 == "bytes" ? "string" : $0 }
            .joined(separator: " ")
    }

    /// A signature as scripts see it, without the names of its parameters.
    private static func seen(_ signature: FunctionType) -> FunctionType {
        FunctionType(
            signature.argumentTypes.map(seen), result: seen(signature.resultType), throws: signature.isThrowing,
            isAsynchronous: signature.isAsynchronous)
    }

    private static func changes(_ older: Struct, _ newer: Struct) -> [Change] {
        // A table that a patch returns does not have a new field.
        changes(older.fields, newer.fields, by: \.name) {
            "the field \(older.name).\($0.name)"
        } type: {
            ": \($0.type)"
        } isNeeded: {
            !$0.isOptional
        } changed: { field, other in
            guard seen(other.type) != seen(field.type) else { return [] }
            return [.breaking("the field \(older.name).\(field.name) was \(field.type) and is now \(other.type)")]
        }
    }

    /// The changes of a type's cases; none if the newer interface has no such type.
    ///
    /// A patch may return a case that was removed. A new case only reaches a patch as an argument, like any other
    /// value.
    private static func changes(_ older: Scalar, _ newer: Scalar?) -> [Change] {
        guard let newer else { return [] }
        guard newer.type == older.type else {
            return [.breaking("\(older.name) was \(older.type) and is now \(newer.type)")]
        }
        guard !older.cases.isEmpty, !newer.cases.isEmpty else { return [] }
        let (oldCases, newCases) = (Set(older.cases), Set(newer.cases))
        return older.cases.filter { !newCases.contains($0) }.map {
            .breaking("the case \($0.json.text()) of \(older.name) is gone")
        }
            + newer.cases.filter { !oldCases.contains($0) }.map {
                Change(isBreaking: false, description: "the case \($0.json.text()) of \(older.name) is new")
            }
    }

    private static func changes(_ older: [Function], _ newer: [Function], named name: (String) -> String) -> [Change] {
        changes(older, newer, by: \.name) {
            name($0.name)
        } type: {
            ": \($0.signature)"
        } changed: { function, other in
            let (old, new) = (seen(function.signature), seen(other.signature))
            guard new != old else { return [] }
            // If a function can now throw, no patch is affected. If it can no longer throw, `host.throw` no longer
            // works.
            let endsThrowing = old.isThrowing && !new.isThrowing
            let isBreaking =
                endsThrowing || new.argumentTypes != old.argumentTypes || new.resultType != old.resultType
                || new.isAsynchronous != old.isAsynchronous
            let words = "\(name(function.name)) was \(function.signature) and is now \(other.signature)"
            return [Change(isBreaking: isBreaking, description: words)]
        }
    }
}
