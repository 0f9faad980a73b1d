// Which changes of a state are written: none, the status of the launch alone, or the whole state.
extension StoreState {
    /// The part of the state that the next launch must find on the disk. A launch without held patches need not be
    /// recorded.
    private var durable: StoreState {
        var state = self
        state.revision = 0
        if stored.isEmpty { state.launch = nil }
        if state.launch?.isWatched == false { state.launch?.isFirstWatchOver = false }
        return state
    }

    /// Whether the next launch would find a different state.
    func differs(from old: StoreState) -> Bool { durable != old.durable }

    /// Whether two states differ only in the status of their launch, which a mark records.
    func differsInMark(from old: StoreState) -> Bool {
        guard let launch, let other = old.launch else { return false }
        // A mark does not say that the first watch is over, which a launch that is watched again must know.
        if launch.isWatched, !other.isWatched, launch.isFirstWatchOver { return false }
        var same = self
        same.launch?.isConfirmed = other.isConfirmed
        same.launch?.isWatched = other.isWatched
        if !launch.isWatched { same.launch?.isFirstWatchOver = other.isFirstWatchOver }
        return launch != other && !same.differs(from: old)
    }

    /// The status of the launch: a line of 80 bytes, so that it can be overwritten in one step.
    var mark: [UInt8] {
        var text = "\(installation.prefix(32)) \(revision)"
        if let launch {
            text += launch.isConfirmed ? " confirmed" : " unconfirmed"
            text += launch.isWatched ? " open" : " ended"
        }
        let length = 79
        var line = Array(text.utf8.prefix(length))
        line += Array(repeating: UInt8(ascii: " "), count: length - line.count)
        return line + [UInt8(ascii: "\n")]
    }

    /// Applies a mark that was written after this state.
    mutating func apply(_ mark: [UInt8]) {
        guard launch != nil else { return }
        for isConfirmed in [false, true] {
            for isWatched in [false, true] {
                var state = self
                state.launch?.isConfirmed = isConfirmed
                state.launch?.isWatched = isWatched
                if state.mark == mark {
                    self = state
                    return
                }
            }
        }
    }
}
