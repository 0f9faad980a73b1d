import PatchCrypto
import PatchFiles

/// The files that a command line reads, under whatever names. No output may replace one.
struct InputIdentities: Sendable {
    private var identities: Set<FileInfo.Identity> = []

    /// - Parameter inputs: Files, and folders whose files are read.
    /// - Throws: `noInput` if a folder cannot be read.
    init(of inputs: [Path]) throws(PatchError) {
        for input in inputs {
            guard let info = FileInfo(input, following: true) else { continue }
            identities.insert(info.identity)
            guard info.isFolder else { continue }
            for name in try Folder.names(in: input) {
                if let info = FileInfo(input.appending(name), following: true) { identities.insert(info.identity) }
            }
        }
    }

    /// Refuses outputs that would replace an input.
    ///
    /// - Parameter replaceable: The input that an output may replace, by output, as `resign` replaces envelopes.
    /// - Throws: `usage`, with the first output that would replace another one.
    func refuse(_ outputs: [Path], unless replaceable: [Path: Path] = [:]) throws(PatchError) {
        for output in outputs {
            guard let info = FileInfo(output, following: true), identities.contains(info.identity) else { continue }
            let own = replaceable[output].flatMap { FileInfo($0, following: true) }
            guard own?.identity != info.identity else { continue }
            throw .usage("the output would replace an input", hint: "name another output").about(output)
        }
    }
}
