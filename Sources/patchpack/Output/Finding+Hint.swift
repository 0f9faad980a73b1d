import PatchFiles
import PatchLint

extension Finding {
    /// The hint to show: the finding's own, otherwise one in terms of the command line.
    func shownHint(of file: Path) -> String? {
        hint
            ?? (code == .spec ? "run it with the patch that it is for: patchpack test PATCH.lua --spec \(file)" : nil)
    }
}
