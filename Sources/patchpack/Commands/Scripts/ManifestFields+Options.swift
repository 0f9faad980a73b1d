import PatchCrypto
import PatchFiles
import PatchText

extension ManifestFields {
    /// Makes the fields from the options. The other fields come from the tags of a script.
    ///
    /// - Throws: `usage` if an option or `SOURCE_DATE_EPOCH` has a value that the format does not allow.
    init(_ arguments: ParsedArguments) throws(PatchError) {
        self.init()
        id = try arguments.text(of: .id)
        version = try arguments.text(of: .version)
        app = try arguments.text(of: .app)
        appVersions = try arguments.text(of: .appVersions)
        engine = try arguments.text(of: .engine)
        if arguments.has(.replaces) {
            replaces = try arguments.texts(of: .replaces).flatMap { ScriptHead.names(in: $0) }
        }
        created = try Self.sourceDate()
        expires = try arguments.text(of: .expires)
        notes = try arguments.text(of: .notes)
        extra = try Self.extra(arguments)
        try checkOptions()
    }

    /// The extra values; nil if none is given.
    ///
    /// - Throws: `usage` if one has no key or a wrong one, or the key of another.
    private static func extra(_ arguments: ParsedArguments) throws(PatchError) -> [String: String]? {
        var pairs: [String: String] = [:]
        for pair in try arguments.texts(of: .extra) {
            let fields = pair.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count == 2 else { throw .usage("--extra \(pair): expected KEY=VALUE") }
            let key = String(Substring(fields[0]))
            guard NameForm.isExtraKey(key) else {
                throw .usage(
                    "--extra \(pair): the key may have letters, digits, `.`, `_` and `-`, at most 64",
                    hint: "name it like git-commit")
            }
            guard pairs.updateValue(String(Substring(fields[1])), forKey: key) == nil else {
                throw .usage("--extra \(pair): the key is given twice", hint: "give each key once")
            }
        }
        return pairs.isEmpty ? nil : pairs
    }

    /// Checks the options beside tags that are right, since the fault of an option is not one of a script.
    ///
    /// - Throws: `usage`, with the option's name.
    private func checkOptions() throws(PatchError) {
        var tags = ManifestFields()
        tags.id = "a.b"
        tags.version = "1"
        tags.app = "a.b"
        do throws(PatchError) {
            _ = try completed(by: tags).manifest(of: [PatchScript(name: "main.lua", bytes: [])])
        } catch {
            let field = error.place?.field ?? ""
            let option = field == "appVersions" ? Option.appVersions.name : field
            // The manifest's own words begin with its member, which the option is for.
            let member = "manifest: `\(field)` "
            let fault = error.message.hasPrefix(member) ? error.message.dropFirst(member.count) : error.message[...]
            throw .usage("--\(option): \(fault)", hint: error.hint)
        }
    }

    /// The time of a reproducible build (reproducible-builds.org, `SOURCE_DATE_EPOCH`); nil if the variable is not set.
    ///
    /// - Throws: `usage` if it is not a number of seconds, without a sign, up to the year 9999.
    private static func sourceDate() throws(PatchError) -> Timestamp? {
        guard let text = Environment["SOURCE_DATE_EPOCH"] else { return nil }
        guard text.utf8.first != UInt8(ascii: "+"), let seconds = Int(text),
            let time = Timestamp(secondsSince1970: seconds)
        else {
            throw .usage("SOURCE_DATE_EPOCH=\(text): expected a number of seconds since 1970")
        }
        return time
    }

    /// The id and version of a patch; nil if one of them is missing.
    func patch(of head: ScriptHead) -> String? {
        guard let id = id ?? head.value(of: .patch), let version = version ?? head.value(of: .version) else {
            return nil
        }
        return "\(id) \(version)"
    }

    /// The manifest of a patch. Each field comes from an option or, without one, from a tag of the entry.
    ///
    /// - Parameter options: The required fields that an option of the verb can give, for the hint.
    /// - Throws: `usage` if a required field is missing, or if a field breaks a rule of the format; `limit` if there
    ///   are too many scripts, or one is too large.
    func manifest(
        for scripts: [PatchScript], head: ScriptHead, from entry: Path, options: [Option] = []
    ) throws(PatchError) -> Manifest {
        let fields = completed(by: ManifestFields(head))
        do throws(PatchError) {
            return try fields.manifest(of: scripts)
        } catch let error where error.code == .malformed {
            throw error.coded(.usage).hinting(fields.hint(on: error, in: scripts[0].bytes, options))
                .at(file: entry.description, line: error.place?.field.flatMap(head.line))
        } catch {
            throw error.about(entry)
        }
    }

    /// The hint of an error about a field. That of a missing field says how else it can be given.
    private func hint(on error: PatchError, in entry: [UInt8], _ options: [Option]) -> String? {
        let required = ["id": id, "version": version, "app": app]
        guard let field = error.place?.field, let value = required[field], value == nil,
            ScriptHead.headProblem(entry) == nil
        else { return error.hint }
        let isSpec = entry.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: "describe(".utf8) }
        if isSpec { return "a spec is given to `test` with --spec" }
        guard let hint = error.hint, let option = options.first(where: { $0.name == field }) else { return error.hint }
        return "\(hint), or give --\(option.name)"
    }
}

extension ScriptHead {
    /// The tags of an entry script.
    ///
    /// - Throws: `usage` if a tag is wrong.
    init(of script: PatchScript, at path: Path) throws(PatchError) {
        do {
            self = try ScriptHead(of: script.bytes)
        } catch {
            throw error.coded(.usage).about(path)
        }
    }
}
