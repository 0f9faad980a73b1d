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
                (device, arguments, console) throws(PatchError) in
                for status in device.why(arguments.operands[1].text) { try show(status, console) }
            },
            action("confirm", "record that the app is healthy, as `confirm()` does", "DIR", 1...1, [], "") {
                (device, _, console) throws(PatchError) in
                guard device.store.state.launch?.isWatched == true else {
                    throw PatchError(.config, "no launch to confirm", hint: "patchpack sync begins one")
                }
                try device.store.confirmLast()
                console.note("confirmed")
            },
            action(
                "ban", "roll a patch back, and never run it on this device again", "DIR ID", 2...2, [.reason],
                " com.example.shop.cart-total"
            ) { (device, arguments, _) throws(PatchError) in
                let id = arguments.operands[1].text
                let isBanned = try device.ban(id, reason: arguments.text(of: .reason) ?? "manually")
                guard isBanned || device.store.state.bans.contains(where: { $0.patch.id == id }) else {
                    let held = device.patches.map(\.id).joined(separator: ", ")
                    throw PatchError(.config, "\(id): not held", hint: held.isEmpty ? nil : "the store has \(held)")
                }
            },
            action("clear", "forget all but the installation's name and revoked keys", "DIR", 1...1, [], "") {
                (device, _, console) throws(PatchError) in
                try device.clear()
                console.note("cleared")
            },
        ])

    private static func action(
        _ name: String, _ summary: String, _ operands: String, _ count: ClosedRange<Int>, _ options: [Option],
        _ example: String, _ run: @escaping @Sendable (PatchDevice, ParsedArguments, Console) throws(PatchError) -> Void
    ) -> Verb {
        Verb(
            name: "store \(name)", summary: summary, operands: operands, operandValue: .directory("DIR"),
            operandCount: count, options: options, example: "patchpack store \(name) device\(example)",
            run: { arguments, console throws(PatchError) in
                let folder = arguments.operands[0].path
                let log = StoreLog()
                defer { log.warn(console) }
                let device = try log.openDevice(
                    folder, PatchStore.host(of: folder), isReader: ["status", "why"].contains(name))
                try run(device, arguments, console)
            })
    }

    private static func status(
        _ device: PatchDevice, _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        let state = device.store.state
        if console.format == .text {
            let launch = state.launch.map {
                "the last launch was \($0.standing == "unknown" ? "not confirmed" : $0.standing)"
            }
            let mode = state.isSafe ? ", in safe mode" : state.isEnabled ? "" : ", switched off"
            try console.line("\(state.app) \(state.appVersion), \(launch ?? "not launched yet")\(mode)")
            for patch in device.patches { try show(patch, console) }
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

    private static func show(_ status: PatchStatus, _ console: Console) throws(PatchError) {
        let version = status.version.map { " \($0)" } ?? ""
        try console.result(
            .report("patchpack.store-why/1", nil, status.members), always: true,
            [.good, .trial].contains(status.code) ? .good : .faint, status.code.rawValue,
            "  \(status.id)\(version)  \(status.reason)")
    }
}

extension PatchStatus {
    fileprivate var members: JSONMembers {
        [("id", id), ("version", version), ("code", code.rawValue), ("reason", reason)]
    }
}
