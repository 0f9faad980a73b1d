import PatchCrypto
import PatchFiles

/// A parsed command line, checked against the options of its verb.
struct ParsedArguments: Sendable {
    let verb: Verb
    let operands: [Argument]
    private let values: [Option.ID: [Argument]]

    /// - Parameter named: The given values by option name. Options that the verb does not take are ignored.
    init(verb: Verb, operands: [Argument], named: [String: [Argument]]) {
        self.verb = verb
        self.operands = operands
        var values: [Option.ID: [Argument]] = [:]
        for option in verb.allOptions { values[option.id] = named[option.name] }
        self.values = values
    }

    func takes(_ option: Option) -> Bool { verb.allOptions.contains { $0.id == option.id } }

    /// The verb's own `--format`, or the one that all verbs have; nil if it is not given.
    var format: String? { verb.allOptions.first { $0.name == Option.format.name }.flatMap { value(of: $0)?.text } }
    var resultFormat: ResultFormat { format.flatMap(ResultFormat.init(rawValue:)) ?? .text }

    /// Whether a switch, or an option with a value, was given. False for an option that the verb does not take, even if
    /// it takes another one with the same name.
    func has(_ option: Option) -> Bool { values[option.id] != nil }
    func values(of option: Option) -> [Argument] { values[option.id] ?? [] }
    /// The value of an option that is given at most once.
    func value(of option: Option) -> Argument? { values[option.id]?.first }
    func path(of option: Option) -> Path? { value(of: option)?.path }

    /// A value as text.
    ///
    /// - Throws: `usage` if it is not UTF-8.
    func text(of option: Option) throws(PatchError) -> String? { try texts(of: option).first }

    /// All of an option's values as text.
    ///
    /// - Throws: `usage` if one is not UTF-8.
    func texts(of option: Option) throws(PatchError) -> [String] {
        try values(of: option).map { (value) throws(PatchError) in
            if let text = String(validating: value.bytes, as: UTF8.self) { return text }
            throw .usage("--\(option.name) is not UTF-8 text")
        }
    }

    /// The files that the options name for reading. For an option that is not given, its variable may name one.
    var inputs: [Path] {
        verb.allOptions.flatMap { option in
            let given = has(option) ? values(of: option) : [option.fromEnvironment].compactMap(\.self)
            return switch option.value {
            case .file: given.map(\.path)
            case .key: given.map { KeyName($0, from: option.name).path }
            case .output, .directory, .text, .choice, nil: [Path]()
            }
        }
    }

    /// The file to write that an option names; nil if there is none. It can be written, unless the disk fails. Without
    /// `force`, `--force` decides.
    ///
    /// - Parameter operands: The operands that are files to read; nil if all may be.
    /// - Throws: `exists` if it exists and must not be replaced, `io` if it has no folder, or is not a regular file,
    ///   `usage` if it must not be `-`, or is a file that the command line reads.
    func newFile(
        _ option: Option, force: Bool? = nil, allowsStandardOutput: Bool = false, reading operands: [Path]? = nil
    ) throws(PatchError) -> Path? {
        guard let path = path(of: option) else { return nil }
        if !path.isStandardStream {
            let files = ((operands ?? self.operands.map(\.path)) + inputs).filter { !$0.isFolder }
            try InputIdentities(of: files).refuse([path])
            try OutputFile.checkNamed(path, force: force ?? has(.force))
        } else if !allowsStandardOutput {
            throw .usage("--\(option.name) - is not a file", hint: "give the name of a file")
        }
        return path
    }

    /// The folder to write into; nil if none is named.
    ///
    /// - Throws: `usage` if it is `-`.
    func outputFolder() throws(PatchError) -> Path? {
        let folder = path(of: .outputFolder)
        guard folder?.isStandardStream != true else {
            throw .usage(
                "--\(Option.outputFolder.name) - is not a folder", hint: "name a folder, or ./- for one of that name")
        }
        return folder
    }

    /// The app that runs the patches; nil if none is given.
    ///
    /// - Throws: `usage` if it is not a reverse-DNS name.
    func runningApp() throws(PatchError) -> String? {
        let name = try text(of: .runningApp)
        if let name, !NameForm.isReverseDNS(name) {
            throw .usage("--app \(name) is not a reverse-DNS name such as com.example.shop")
        }
        return name
    }

    /// The app's environment: `release` if none is given.
    ///
    /// - Throws: `usage` if it is not `[A-Za-z0-9._-]{1,64}`.
    func environmentName() throws(PatchError) -> String {
        let name = try text(of: .environment) ?? "release"
        guard NameForm.isWord(name.utf8) else {
            throw .usage(
                "--environment \(name): not a name of an environment",
                hint: "a name has at most 64 letters, digits, dots, underscores and hyphens, such as staging")
        }
        return name
    }

    /// A value, converted to another type.
    ///
    /// - Parameters:
    ///   - expected: The valid values, for the error message.
    ///   - fault: Returns the fault of a string for the error message; nil if the fault is not known.
    ///   - convert: Converts the text; returns nil if the text is not valid.
    /// - Returns: nil if the option is not given.
    /// - Throws: `usage` if the text is not valid.
    func value<Value>(
        of option: Option, _ expected: String, fault: (String) -> String? = { _ in nil }, _ convert: (String) -> Value?
    ) throws(PatchError) -> Value? {
        guard let text = try text(of: option) else { return nil }
        guard let value = convert(text) else {
            let reason = fault(text).map { "it \($0); " } ?? ""
            throw .usage("--\(option.name) \(text): \(reason)expected \(expected)")
        }
        return value
    }

    func appVersion(of option: Option = .appVersion) throws(PatchError) -> AppVersion? {
        try value(of: option, "a version such as 2.3.1", fault: AppVersion.fault, AppVersion.init)
    }

    /// A value as a whole number of at least `lowest`.
    func number(of option: Option, atLeast lowest: Int = 1) throws(PatchError) -> Int? {
        try value(of: option, "a whole number of at least \(lowest)") { text in
            guard text.isDecimal, let number = Int(text), number >= lowest else { return nil }
            return number
        }
    }

    /// How many files to work on at a time.
    ///
    /// - Parameter defaultsToOne: Whether the default is 1, instead of one for each core.
    func jobs(defaultsToOne: Bool = false) throws(PatchError) -> Int {
        try number(of: .jobs) ?? (defaultsToOne ? 1 : Resources.processorCount)
    }

    /// A value as a length of time, in seconds.
    func seconds(of option: Option) throws(PatchError) -> Int? {
        try value(of: option, "a length of time such as 90s, 15m, 4h or 2d", Self.seconds)
    }

    /// A value as a time, or as the length of time from it until now.
    func moment(of option: Option, before now: Timestamp) throws(PatchError) -> Timestamp? {
        try value(
            of: option, "a time such as 2027-01-01T00:00:00Z, or how long ago, such as 4h", fault: Timestamp.fault
        ) { text in
            Timestamp(text)
                ?? Self.seconds(text).flatMap { Timestamp(secondsSince1970: max(0, now.secondsSince1970 - $0)) }
        }
    }

    /// The seconds in a number of at most nine digits with s, m, h or d behind it; nil for any other text.
    private static func seconds(_ text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), (2...10).contains(text.utf8.count),
            text.dropLast().isDecimal
        else { return nil }
        return Int(text.dropLast()).map { $0 * unit }
    }

    func time(of option: Option) throws(PatchError) -> Timestamp? {
        try value(of: option, "a time such as 2027-01-01T00:00:00Z", fault: Timestamp.fault, Timestamp.init(_:))
    }
}

extension StringProtocol {
    /// Whether it has digits only. An empty text has no other character either.
    fileprivate var isDecimal: Bool { utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }
}
