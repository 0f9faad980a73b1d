import PatchCrypto
import PatchDevice
import PatchFiles
import PatchRunner

enum StoreCommand {
    static let verb = Verb(
        name: "store", summary: "show and change the state that a device keeps between launches",
        actions: [
            action("status", "show the patches that are held, banned and running", "DIR", 1...1, [], "", status),
            action("why", "show why a patch is running or not", "DIR ID", 2...2, [], " com.example.shop.cart-total") {
                (devices, arguments, console) throws(PatchError) in
                for device in devices {
                    let version = device.store.host.version
                    for status in device.why(arguments.operands[1].text) {
                        try show(status, console, in: version, names: devices.count > 1)
                    }
                }
            },
            action("confirm", "record that the app is healthy, as `confirm()` does", "DIR", 1...1, [], "") {
                (devices, _, console) throws(PatchError) in
                guard let store = devices.first?.store, store.state.launch?.isWatched == true else {
                    throw PatchError(.config, "no launch to confirm", hint: "patchpack sync begins one")
                }
                try store.confirmLast()
                console.note("confirmed")
            },
            action(
                "ban", "roll back a patch's held versions, and never run them again", "DIR ID", 2...2, [.reason],
                " com.example.shop.cart-total"
            ) { (devices, arguments, _) throws(PatchError) in
                let id = arguments.operands[1].text
                var isBanned = false
                for device in devices {
                    let isHeld = try device.ban(heldVersionsOf: id, reason: arguments.text(of: .reason) ?? "manually")
                    isBanned = isBanned || isHeld || device.store.state.bans.contains { $0.patch.id == id }
                }
                guard isBanned else {
                    let held = Set(devices.flatMap(\.patches).map(\.id)).sorted().joined(separator: ", ")
                    throw PatchError(.config, "\(id): not held", hint: held.isEmpty ? nil : "the store has \(held)")
                }
            },
            action("clear", "forget all but the installation's name and revoked keys", "DIR", 1...1, [], "") {
                (devices, _, console) throws(PatchError) in
                for device in devices { try device.clear() }
                console.note("cleared")
            },
        ])

    private static func action(
        _ name: String, _ summary: String, _ operands: String, _ count: ClosedRange<Int>, _ options: [Option],
        _ example: String,
        _ run: @escaping @Sendable ([PatchDevice], ParsedArguments, Console) throws(PatchError) -> Void
    ) -> Verb {
        Verb(
            name: "store \(name)", summary: summary, operands: operands, operandValue: .directory("DIR"),
            operandCount: count, options: options, example: "patchpack store \(name) device\(example)",
            run: { arguments, console throws(PatchError) in
                let folder = arguments.operands[0].path
                try StoreLog.showing(on: console) { (log) throws(PatchError) in
                    // Each version of the app has a part of the folder, that of the last sync first.
                    let devices = try PatchStore.hosts(of: folder).map { host throws(PatchError) in
                        try log.openDevice(folder, host, isReader: ["status", "why"].contains(name))
                    }
                    try run(devices, arguments, console)
                }
            })
    }

    private static func status(
        _ devices: [PatchDevice], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        for device in devices { try showAll(of: device, console) }
    }

    private static func showAll(of device: PatchDevice, _ console: Console) throws(PatchError) {
        let state = device.store.state
        if console.format == .text {
            let launch = state.launch.map {
                "the last launch was \($0.standing == "unknown" ? "not confirmed" : $0.standing)"
            }
            let mode = state.isSafe ? ", in safe mode" : state.isEnabled ? "" : ", switched off"
            try console.line("\(state.app) \(state.appVersion), \(launch ?? "not launched yet")\(mode)")
            for patch in device.patches { try show(patch, console, in: state.appVersion) }
            return
        }
        let switches: JSONMembers = state.switches.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        try console.report(
            "patchpack.store-status/1", nil,
            [
                ("app", state.app), ("appVersion", state.appVersion),
                ("installation", state.givenName ?? state.installation), ("enabled", state.isEnabled),
                ("safeMode", state.isSafe), ("launch", state.launch?.standing), ("switches", JSONValue(switches)),
                ("patches", device.patches.map { JSONValue($0.members) }),
            ])
    }

    /// - Parameter names: Whether to name the version of the app.
    private static func show(
        _ status: PatchStatus, _ console: Console, in app: AppVersion, names: Bool = false
    ) throws(PatchError) {
        let version = status.version.map { " \($0)" } ?? ""
        try console.result(
            .report("patchpack.store-why/1", nil, status.members + [("appVersion", app.description)]), always: true,
            [.good, .trial].contains(status.code) ? .good : .faint, status.code.rawValue,
            "  \(status.id)\(version)  \(names ? "in \(app): " : "")\(status.reason)")
    }
}

extension PatchStatus {
    fileprivate var members: JSONMembers {
        [("id", id), ("version", version), ("code", code.rawValue), ("reason", reason)]
    }
}
