internal import PatchText

// An event is added to the tables.
extension ReportBuilder {
    /// What the tables need to know of the reader's event.
    private struct Event {
        /// Nil for one that reports do not know.
        let name: EventRecord.Name?
        /// Milliseconds since 1970; 0 if no plausible time is known.
        let time: UInt64
        /// The number of the app's version and the system.
        let surroundings: UInt16
        /// How often it happened. A device counts events that are the same, and writes them once.
        let count: Int
    }

    /// Adds the reader's event. However many parts of it find no room, it is one event that is dropped.
    mutating func addEvent() {
        let dropped = input.dropped
        let droppedPatches = input.droppedPatches
        let droppedTexts = reader.texts.dropped
        addToTables()
        let isDropped = input.dropped > dropped || reader.texts.dropped > droppedTexts
        input.dropped = dropped + (isDropped ? 1 : 0)
        input.droppedPatches = min(input.droppedPatches, droppedPatches + 1)
    }

    private mutating func addToTables() {
        let time = reader.time.flatMap { plausibleTimes.contains($0) ? $0 : nil }
        // An event without a time may be as old as any.
        if let since, time ?? .min < since {
            input.earlier += 1
            note(Subject.earlier)
            if let heardSince, let time, time >= heardSince { noteHeard(at: UInt64(time)) }
            return
        }
        input.events += 1
        if time == nil { input.withoutTime += 1 }
        origins.add(&reader)
        let event = Event(
            name: reader.name, time: UInt64(time ?? 0), surroundings: surroundings.number(for: &reader),
            count: max(1, reader.integer(.count)))
        addToDevice(event)
        if event.name == .launched { addRunningPatches(event) }
        if reader.version > 0, let name = event.name { addToPatch(event, name) }
    }

    /// Notes that the device had the patches of an event that does not count otherwise.
    private mutating func noteHeard(at time: UInt64) {
        var keys: [PatchTable.Key] = []
        if reader.name == .launched {
            keys = reader.runningPatches().map { PatchTable.Key(id: $0.text, version: $0.number) }
        }
        if reader.name != nil, reader.version > 0 {
            keys.append(PatchTable.Key(id: reader.number(.patch), version: reader.version))
        }
        for key in keys {
            guard let number = patches.number(of: key, &reader, &input) else { continue }
            devices.change(reader.device, number) { $0.noteHeard(at: time) }
        }
    }

    // MARK: the device

    /// Adds what an event says about the device itself.
    private mutating func addToDevice(_ event: Event) {
        // Until its time has come, an event of a clock that is ahead is no sign of life.
        let isPast = event.time > 0 && event.time <= UInt64(max(0, present))
        let trouble = FleetReport.Trouble.allCases.first { trouble in
            // A refused envelope whose patch is known is a fault of the patch.
            trouble.event == event.name && !(trouble == .refused && reader.version > 0)
        }
        changeLife(of: Subject.device, event) { life in
            life.record(event.name, at: event.time)
            if let trouble { life.set(trouble: trouble) }
            if isPast { life.noteLast(at: event.time) }
        }
        if let name = event.name, trouble != nil { addFault(event, of: Subject.device, name) }
        if event.name == .launched { onlyDevice?.launches.addOrMost(event.count) }
        if event.name == .synced {
            onlyDevice?.syncs.addOrMost(event.count)
            lastSync = max(lastSync, event.time)
        }
    }

    /// Adds the patches that a launch lists: those that it began with. The others are activated later, each with an
    /// event.
    private mutating func addRunningPatches(_ event: Event) {
        for patch in reader.runningPatches() {
            let key = PatchTable.Key(id: patch.text, version: patch.number)
            guard let number = patches.number(of: key, &reader, &input) else { continue }
            changeLife(of: number, event) { life in
                life.noteRun(true, at: event.time)
                life.set(.ran)
            }
        }
    }

    /// Changes the life of the device, or of a patch on it.
    private mutating func changeLife(of number: UInt16, _ event: Event, _ body: (inout DeviceLife) -> Void) {
        let surroundings = surroundings
        devices.change(reader.device, number) { life in
            life.set(.counted)
            if event.time > 0, number != Subject.device { life.noteHeard(at: event.time) }
            if surroundings.isOlder(life.surroundings, than: event.surroundings) {
                life.surroundings = event.surroundings
            }
            body(&life)
        }
    }

    // MARK: the patch

    /// Adds an event of a patch to its life on the device, its figures and its faults.
    private mutating func addToPatch(_ event: Event, _ name: EventRecord.Name) {
        let key = PatchTable.Key(id: reader.number(.patch), version: reader.version)
        guard let patch = patches.number(of: key, &reader, &input) else { return }
        // One of several patches was the cause, and no one knows which.
        let isSuspicion = (name == .rolledBack || name == .closed) && reader.number(.reason) == suspicion
        addToLife(event, of: patch, name, isSuspicion: isSuspicion)
        switch name {
        case .called: addCalls(event, of: patch)
        case .compared: addComparison(event, of: patch)
        case .failed:
            addFault(event, of: patch, name)
            changeHourOfFault(of: patch, event.time) { $0.failed.addOrMost(event.count) }
        case .refused, .fellBack: addFault(event, of: patch, name)
        case .rolledBack, .closed:
            addFault(event, of: patch, name)
            if !isSuspicion { changeHourOfFault(of: patch, event.time) { $0.rolledBack.addOrMost(event.count) } }
        default: break
        }
    }

    private mutating func addToLife(_ event: Event, of patch: UInt16, _ name: EventRecord.Name, isSuspicion: Bool) {
        let isStopped = patches.all[Int(patch)].stopTime.map { event.time >= $0 } ?? false
        let isFailed = reader.integer(.failed) > 0 || reader.has(.error)
        changeLife(of: patch, event) { life in
            if isStopped { life.set(.heardSinceStop) }
            life.record(ofPatch: name, at: event.time, isSuspicion: isSuspicion, isFailed: isFailed)
        }
    }

    private mutating func addCalls(_ event: Event, of patch: UInt16) {
        var counts = CallCounts()
        counts.calls = reader.integer(.calls)
        // A device may claim anything, but not that more than all of its calls failed.
        counts.failures = min(reader.integer(.failures), counts.calls)
        counts.fallbacks = reader.integer(.fallbacks)
        counts.measured = reader.integer(.measured)
        counts.nanoseconds = reader.integer(.nanoseconds)
        counts.longest = reader.integer(.longest)
        for (index, count) in zip(counts.times.indices, reader.times) { counts.times[index] = count }
        patches.all[Int(patch)].counts.add(counts)
        calls.add(counts, of: patch, on: reader.device)
        changeHour(of: patch, event.time) { hour in
            hour.calls.addOrMost(counts.calls)
            hour.failures.addOrMost(counts.failures)
        }
    }

    private mutating func addComparison(_ event: Event, of patch: UInt16) {
        if reader.has(.error) { addFault(event, of: patch, .compared, count: 1) }
        let counts = ComparisonCounts(
            agreed: reader.integer(.agreed), differed: reader.integer(.differed), failed: reader.integer(.failed),
            incomparable: reader.integer(.incomparable), nanoseconds: reader.integer(.nanoseconds))
        if counts.failed > 0 { changeHourOfFault(of: patch, event.time) { $0.failed.addOrMost(counts.failed) } }
        guard reader.has(.function) else { return }
        switch comparisons.add(counts, of: patch, at: event.time, &reader) {
        case .new: devices.change(reader.device, patch) { $0.addFunction() }
        case .known: break
        case .noRoom:
            input.dropped += 1
            devices.change(reader.device, patch) { $0.set(.uncounted) }
        }
    }

    // MARK: faults and hours

    /// Adds the fault that an event reports.
    ///
    /// - Parameters:
    ///   - patch: The number of the patch; 0 for the device itself.
    ///   - count: How often it happened; nil for as often as the event.
    private mutating func addFault(
        _ event: Event, of patch: UInt16, _ name: EventRecord.Name, count: Int? = nil
    ) {
        let hasRoom = faults.add(name, of: patch, count: count ?? event.count, at: event.time, &reader)
        if !hasRoom { input.dropped += 1 }
    }

    /// Changes the hour in which a patch failed or was rolled back, and the first minute of that.
    private mutating func changeHourOfFault(
        of patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void
    ) {
        guard time > 0 else { return }
        let minute = Int(time / 60_000)
        let first = patches.all[Int(patch)].firstBadMinute
        patches.all[Int(patch)].firstBadMinute = min(first ?? .max, minute)
        changeHour(of: patch, time) { hour in
            body(&hour)
            hour.firstBadMinute = min(hour.firstBadMinute ?? .max, minute)
        }
    }

    /// Changes the hour of a time. An event without a time is in no hour.
    private mutating func changeHour(of patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void) {
        guard time > 0 else { return }
        let hasRoom = hours.change(of: patch, at: time, on: reader.device, body)
        if !hasRoom { input.dropped += 1 }
    }
}
