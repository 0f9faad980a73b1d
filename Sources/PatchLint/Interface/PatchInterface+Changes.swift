package import PatchCrypto
package import PatchRunner

extension PatchInterface {
    /// A difference between two versions of an interface.
    package struct Change: Sendable {
        /// Whether it could break a patch for the older interface.
        package let isBreaking: Bool
        /// The change, such as `Cart.total is gone`.
        package let description: String
    }

    /// The changes from this interface to a newer one, the breaking ones first.
    package func changes(to newer: PatchInterface) -> [Change] {
        let isOther = !app.isByteEqual(to: newer.app)
        let other = isOther ? [Change(isBreaking: true, description: "the app was \(app) and is now \(newer.app)")] : []
        return other + changesOfNames(to: newer)
    }

    /// Why a patch does not fit this app or this version of it; nil if it fits.
    package func refusal(of manifest: Manifest) -> String? {
        guard manifest.app.isByteEqual(to: app) else {
            return "the patch is for the app \(manifest.app), but the interface is for \(app)"
        }
        guard let version = AppVersion(appVersion), !manifest.appVersions.contains(version) else { return nil }
        return "the patch is for app versions \(manifest.appVersions), but the interface is for \(appVersion)"
    }

    private func changesOfNames(to newer: PatchInterface) -> [Change] {
        var changes = Self.changes(functions, newer.functions) { $0 }
        let newStructs = NameIndex(newer.structs, by: \.name)
        for structure in structs {
            guard let other = newStructs[structure.name] else {
                changes.append(Change(isBreaking: true, description: "the struct \(structure.name) is gone"))
                continue
            }
            changes += Self.changes(structure, other)
        }
        let oldStructs = NameIndex(structs, by: \.name)
        for structure in newer.structs where oldStructs[structure.name] == nil {
            changes.append(Change(isBreaking: false, description: "the struct \(structure.name) is new"))
        }
        let newScalars = NameIndex(newer.scalars, by: \.name)
        for scalar in scalars { changes += Self.changes(scalar, newScalars[scalar.name]) }
        let newClasses = NameIndex(newer.classes, by: \.name)
        for exposed in classes {
            let methods = newClasses[exposed.name]?.methods
            if methods == nil {
                changes.append(Change(isBreaking: true, description: "the class \(exposed.name) is gone"))
            }
            changes += Self.changes(exposed.methods, methods ?? exposed.methods) { "\(exposed.name):\($0)" }
        }
        let oldClasses = NameIndex(classes, by: \.name)
        for exposed in newer.classes where oldClasses[exposed.name] == nil {
            changes.append(Change(isBreaking: false, description: "the class \(exposed.name) is new"))
        }
        return changes.filter(\.isBreaking) + changes.filter { !$0.isBreaking }
    }

    /// A type as scripts see it: bytes are a string, which is their name in older interfaces.
    private static func seen(_ type: String) -> String {
        type.split(separator: " ", omittingEmptySubsequences: false).map { $0 == "bytes" ? "string" : $0 }
            .joined(separator: " ")
    }

    private static func seen(_ signature: PatchSignature) -> PatchSignature {
        PatchSignature(
            signature.arguments.map(seen), result: seen(signature.result), throws: signature.throws,
            isAsynchronous: signature.isAsynchronous)
    }

    private static func changes(_ older: Struct, _ newer: Struct) -> [Change] {
        var changes: [Change] = []
        let (oldFields, newFields) = (NameIndex(older.fields, by: \.name), NameIndex(newer.fields, by: \.name))
        for field in older.fields {
            let name = "\(older.name).\(field.name)"
            guard let other = newFields[field.name] else {
                changes.append(Change(isBreaking: true, description: "the field \(name) is gone"))
                continue
            }
            guard Self.seen(other.type) != Self.seen(field.type) else { continue }
            changes.append(
                Change(isBreaking: true, description: "the field \(name) was \(field.type) and is now \(other.type)"))
        }
        for field in newer.fields where oldFields[field.name] == nil {
            // A table that a patch returns does not have the new field.
            changes.append(
                Change(
                    isBreaking: !field.isOptional,
                    description: "the field \(older.name).\(field.name) is new: \(field.type)"))
        }
        return changes
    }

    /// The changes of a type's cases.
    ///
    /// A patch may return a case that was removed. A new case only reaches a patch as an argument, like any other value.
    private static func changes(_ older: Scalar, _ newer: Scalar?) -> [Change] {
        guard let newer else { return [] }
        guard newer.type == older.type else {
            return [
                Change(isBreaking: true, description: "\(older.name) was \(older.type) and is now \(newer.type)")
            ]
        }
        guard !older.cases.isEmpty, !newer.cases.isEmpty else { return [] }
        let (oldCases, newCases) = (Set(older.cases), Set(newer.cases))
        return older.cases.filter { !newCases.contains($0) }.map {
            Change(isBreaking: true, description: "the case \($0.text) of \(older.name) is gone")
        }
            + newer.cases.filter { !oldCases.contains($0) }.map {
                Change(isBreaking: false, description: "the case \($0.text) of \(older.name) is new")
            }
    }

    private static func changes(
        _ older: [Function], _ newer: [Function], named name: (String) -> String
    ) -> [Change] {
        var changes: [Change] = []
        let (oldFunctions, newFunctions) = (NameIndex(older, by: \.name), NameIndex(newer, by: \.name))
        for function in older {
            guard let other = newFunctions[function.name] else {
                changes.append(Change(isBreaking: true, description: "\(name(function.name)) is gone"))
                continue
            }
            guard seen(other.signature) != seen(function.signature) else { continue }
            // If a function can now throw, no patch is affected. If it can no longer throw, `host.throw` no longer works.
            let isBreaking =
                seen(other.signature).arguments != seen(function.signature).arguments
                || seen(other.signature).result != seen(function.signature).result
                || function.signature.throws && !other.signature.throws
                || other.signature.isAsynchronous != function.signature.isAsynchronous
            changes.append(
                Change(
                    isBreaking: isBreaking,
                    description: "\(name(function.name)) was \(function.signature) and is now \(other.signature)"))
        }
        for function in newer where oldFunctions[function.name] == nil {
            changes.append(
                Change(isBreaking: false, description: "\(name(function.name)) is new: \(function.signature)"))
        }
        return changes
    }
}

extension PatchInterface.Scalar.Case {
    /// The value as a script writes it.
    var text: String {
        switch self {
        case .string(let text): JSONValue.string(text).text()
        case .integer(let number): String(number)
        }
    }
}
