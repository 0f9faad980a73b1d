import PatchCrypto
import PatchFiles

extension Secrets {
    /// Finds the keys in a command line and in the values of this tool's environment variables.
    init(words: [Argument]) {
        // A trust store's pin looks like a key, but is public.
        let pin = "--\(Option.trustStorePin.name)"
        let secrets = words.indices.filter { index in
            !(index > 0 && words[index - 1].isText(pin)) && !words[index].bytes.starts(with: "\(pin)=".utf8)
        }
        let variables = Environment.variables(ofNamesWith: "PATCHPACK_")
        let values = secrets.map { words[$0] } + variables.map { Argument(bytes: $0.value) }
        var keys: Set<[UInt8]> = []
        for value in values where value.bytes.count >= Self.shortest {
            // A message may show a part of `--signing-key=rsa-sha256:KEY`, or a folder in a path.
            var parts = [value.bytes[...]]
            if value.bytes.first == UInt8(ascii: "-") { parts.append(value.bytes.drop { $0 == UInt8(ascii: "-") }) }
            for separator in [UInt8(ascii: "="), UInt8(ascii: ":")] where value.bytes.contains(separator) {
                parts += value.bytes.split(separator: separator, maxSplits: 1).map {
                    $0.drop { $0 == UInt8(ascii: "-") }
                }
            }
            for part in parts where Self.isKey(part) && FileInfo(Path(bytes: Array(part)), following: true) == nil {
                keys.insert(Array(part))
            }
        }
        self.init(keys)
    }
}
