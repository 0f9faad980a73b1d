import PatchCrypto
import PatchDevice
import PatchFiles
import PatchRunner

enum StoreCommand {
    static let verb = Verb(
        name: "store", summary: "show and change the state that a device keeps between launches",
        actions: [
            action(
                "status", summary: "show the patches that are held, banned and running", operands: "DIR", count: 1...1,
                isReader: true, run: status),
            action(
                "why", summary: "show why a patch is running or not", operands: "DIR ID", count: 2...2,
                isReader: true, example: "device com.example.shop.cart-total", run: why),
            action(
                "confirm", summary: "record that the app is healthy, as `confirm()` does", operands: "DIR",
                count: 1...1, run: confirm),
            action(
                "ban", summary: "roll back a patch's held versions, and never run them again", operands: "DIR ID",
                count: 2...2, options: [.reason], example: "device com.example.shop.cart-total", run: ban),
            action(
                "clear", summary: "forget all but the installation's name and revoked keys", operands: "DIR",
                count: 1...1, run: clear),
        ])

    /// An action on a device's folder.
    ///
    /// - Parameters:
    ///   - isReader: Whether it only reads the folder, which works while the app runs.
    ///   - run: Runs the action. Each version of the app has a device in the folder, that of the last sync first.
    private static func action(
        _ name: String, summary: String, operands: String, count: ClosedRange<Int>, options: [Option] = [],
        isReader: Bool = false, example: String = "device",
        run: @escaping @Sendable ([PatchDevice], ParsedArguments, Console) throws(PatchError) -> Void
    ) -> Verb {
        Verb(
            name: "store \(name)", summary: summary, operands: operands, operandValue: .directory("DIR"),
            operandCount: count, options: options, example: "patchpack store \(name) \(example)",
            run: { arguments, console throws(PatchError) in
                let folder = arguments.operands[0].path
                try StoreLog.showing(on: console) { (log) throws(PatchError) in
                    let devices = try PatchStore.hosts(of: folder).map { host throws(PatchError) in
                        try log.openDevice(folder, host, isReader: isReader)
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

    private static func why(
        _ devices: [PatchDevice], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        for device in devices {
            let version = device.store.host.version
            for status in device.why(arguments.operands[1].text) {
                try show(status, console, in: version, namesVersion: devices.count > 1)
            }
        }
    }

    private static func confirm(
        _ devices: [PatchDevice], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        guard let store = devices.first?.store, store.state.launch?.isWatched == true else {
            throw PatchError(.config, "no launch to confirm", hint: "patchpack sync begins one")
        }
        try store.confirmLast()
        console.note("confirmed")
    }

    private static func ban(
        _ devices: [PatchDevice], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
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
    }

    private static func clear(
        _ devices: [PatchDevice], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        for device in devices { try device.clear() }
        console.note("cleared")
    }

    private static func showAll(of device: PatchDevice, _ console: Console) throws(PatchError) {
        let state = device.store.state
        if console.format == .text {
            let launch = state.launch.map { launch in
                let standing = launch.standing == "unknown" ? "not confirmed" : launch.standing
                return "the last launch was \(standing)"
            }
            let mode =
                if state.isSafe {
                    ", in safe mode"
                } else if state.isEnabled {
                    ""
                } else {
                    ", switched off"
                }
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

    /// - Parameters:
    ///   - app: The version of the app that has the patch.
    ///   - namesVersion: Whether the line names that version, because the folder has several.
    private static func show(
        _ status: PatchStatus, _ console: Console, in app: AppVersion, namesVersion: Bool = false
    ) throws(PatchError) {
        let version = status.version.map { " \($0)" } ?? ""
        let place = namesVersion ? "in \(app): " : ""
        try console.result(
            .report("patchpack.store-why/1", nil, status.members + [("appVersion", app.description)]), always: true,
            [.good, .trial].contains(status.code) ? .good : .faint, status.code.rawValue,
            "  \(status.id)\(version)  \(place)\(status.reason)")
    }
}

extension PatchStatus {
    fileprivate var members: JSONMembers {
        [("id", id), ("version", version), ("code", code.rawValue), ("reason", reason)]
    }
}
