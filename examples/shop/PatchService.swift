import PatchDevice

/// Keeps the app's patches up to date. It is the first service, so that the others are patched before they begin.
struct PatchService: Service {
    let patches: PatchDevice

    func launched() { patches.launch() }

    /// The first screen was shown, so the launch is a good one. The network comes after that, and delays nothing.
    func ready() async {
        patches.confirm()
        await patches.sync()
    }

    func backgrounded() { patches.enterBackground() }

    func foregrounded() async { await patches.enterForeground() }

    func ended() { patches.end() }
}
