import PatchFiles
import Synchronization

extension Environment {
    /// The credentials of an account at an object store or a key service.
    static let accountSecrets = Set(
        ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].map { Array($0.utf8) })

    /// Finds the variables that hold secrets, before any of them is read, and adds them to `secrets`.
    ///
    /// These are the variables that the command line or a variable of this tool names, the variables of this tool that
    /// hold a secret themselves, and the account's credentials.
    static func findSecrets(namedBy words: [Argument]) {
        var names = accountSecrets
        for word in words.map(\.bytes) {
            var values = [word[...]]
            if word.first == UInt8(ascii: "-") { values += after(UInt8(ascii: "="), word) }
            names.formUnion(values.compactMap(variable))
        }
        names.formUnion(passphraseVariables(namedBy: words))
        for (name, value) in variables(ofNamesWith: "PATCHPACK_") {
            if let other = variable(namedBy: value[...]) { names.insert(other) }
            if isSecret(name, value) { names.insert(name) }
        }
        secrets.withLock { $0.formUnion(names) }
    }

    /// The variable in `env:NAME` or `ALGORITHM:env:NAME`; nil if a value is something else.
    private static func variable(namedBy value: ArraySlice<UInt8>) -> [UInt8]? {
        let places = [value] + after(UInt8(ascii: ":"), Array(value))
        return places.compactMap { KeyName.variable(in: $0) }.first
    }

    /// The variables that the options for passphrases name.
    private static func passphraseVariables(namedBy words: [Argument]) -> [[UInt8]] {
        let options = [Option.passphraseEnv, .newPassphraseEnv].map { "--\($0.name)" }
        return words.indices.compactMap { index in
            let word = words[index].bytes
            if index > 0, options.contains(where: words[index - 1].isText) { return word }
            guard let option = options.first(where: { word.starts(with: "\($0)=".utf8) }) else { return nil }
            return Array(word.dropFirst(option.utf8.count + 1))
        }
    }

    /// Whether a variable of this tool holds a secret: by its name, or because it holds a key instead of a file name.
    private static func isSecret(_ name: [UInt8], _ value: [UInt8]) -> Bool {
        if ["PASSPHRASE", "PASSWORD", "SECRET"].contains(where: name.has) { return true }
        return ([value[...]] + after(UInt8(ascii: ":"), value)).contains {
            Secrets.isKey($0) && FileInfo(Path(bytes: Array($0)), following: true) == nil
        }
    }

    /// The part after the first separator; no part if there is none.
    private static func after(_ separator: UInt8, _ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.firstIndex(of: separator).map { [bytes[($0 + 1)...]] } ?? []
    }
}
