import PatchCrypto
import PatchFiles

/// A key as the command line names it: `[ALGORITHM:]FILE`, or `[ALGORITHM:]env:NAME` for a variable that holds it.
struct KeyName {
    let algorithm: SignatureAlgorithm?
    /// The file; for a variable, the name that messages show.
    let path: Path
    /// The variable that holds the key itself.
    let variable: String?
    /// The option, variable or verb that it was given to.
    let source: String

    init(_ algorithm: SignatureAlgorithm?, _ path: Path, from source: String) {
        self.algorithm = algorithm
        self.path = path
        self.source = source
        variable = Self.variable(in: path.bytes[...]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The name of the variable in `env:NAME`; nil if a place is something else.
    static func variable(in place: ArraySlice<UInt8>) -> [UInt8]? {
        let mark = "env:".utf8
        return place.starts(with: mark) ? Array(place.dropFirst(mark.count)) : nil
    }

    /// Splits the algorithm from the place. A colon after anything else belongs to the file's name.
    init(_ argument: Argument, from source: String) {
        let fields = argument.bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let algorithm =
            fields.count == 2 ? SignatureAlgorithm(rawValue: String(decoding: fields[0], as: UTF8.self)) : nil
        self.init(algorithm, algorithm == nil ? argument.path : Path(bytes: Array(fields[1])), from: source)
    }
}
