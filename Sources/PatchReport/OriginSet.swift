internal import PatchText

/// The apps and the environments of the counted events.
struct OriginSet: Sendable {
    /// The numbers of their names.
    private var apps: Set<UInt32> = []
    private var environments: Set<UInt32> = []
    /// Those of the last line, which the next one often has too.
    private var last: (app: UInt32, environment: UInt32) = (0, 0)

    /// How many apps or environments there are, whichever are more.
    var count: Int { max(apps.count, environments.count) }

    /// Adds those of the reader's line, as far as it names them.
    mutating func add(_ reader: inout EventReader) {
        let origin = (app: reader.number(.app), environment: reader.number(.environment))
        guard origin != last else { return }
        last = origin
        if origin.app > 0 { apps.insert(origin.app) }
        if origin.environment > 0 { environments.insert(origin.environment) }
    }
}
