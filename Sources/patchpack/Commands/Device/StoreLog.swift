import PatchCrypto
import PatchDevice
import PatchFiles
import PatchRunner
import Synchronization

/// The events of a device, kept until they can be shown.
final class StoreLog: Sendable {
    private let events = Mutex<[PatchEvent]>([])

    @Sendable private func add(_ event: PatchEvent) { events.withLock { $0.append(event) } }

    /// Runs a body that opens devices, and shows their events after it.
    ///
    /// - Throws: What the body throws.
    static func showing(
        on console: Console, _ body: (StoreLog) throws(PatchError) -> Void
    ) throws(PatchError) {
        let log = StoreLog()
        do throws(PatchError) {
            try body(log)
        } catch {
            log.warn(console, besides: error)
            throw error
        }
        log.warn(console, besides: nil)
    }

    /// Shows the events that took patches away, or that a store failed with.
    ///
    /// - Parameter error: The error that is shown too. A store that fails with it is not mentioned again.
    private func warn(_ console: Console, besides error: PatchError?) {
        for event in events.withLock({ $0 }) {
            switch event.kind {
            case .storeFailed(let fault) where fault.text == error?.text: break
            case .rolledBack, .closed, .safeMode, .storeFailed, .disabled, .withdrawn: console.warning("\(event)")
            default: break
            }
        }
    }

    /// Opens a device's folder. No patch runs.
    ///
    /// - Parameters:
    ///   - feed: The source of patches; nil, as well as `trust`, if nothing is synced.
    ///   - isReader: Whether to only read the folder, which works while the app runs.
    /// - Throws: The error of a folder that cannot be used, `io` if another process uses it; neither for a reader.
    func openDevice(
        _ folder: Path, _ host: HostInfo, feed: PatchDevice.Feed? = nil, trust: PatchTrust? = nil,
        settings: SyncSettings = SyncSettings(), isReader: Bool = false
    ) throws(PatchError) -> PatchDevice {
        let device = PatchDevice(
            host: host, registry: nil, folder: folder.description, feed: feed, trust: trust, settings: settings,
            isReader: isReader, listener: EventThrottle(milliseconds: 0, listener: add))
        guard isReader || device.role == .writer else {
            throw device.store.fault
                ?? PatchError(.io, "another process has this store open", hint: "end the app first").about(folder)
        }
        return device
    }
}
