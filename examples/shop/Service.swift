/// A part of the app with a life of its own, as a micro-application has.
///
/// Each function is called once for each moment of the app's life: `launched` in the order in which the services were
/// added, `ended` in the reverse order, and the others at the same time.
protocol Service: Sendable {
    /// The app was launched. The first screen is not shown yet.
    func launched() async throws
    /// The first screen is shown, and the app answers.
    func ready() async
    /// The app went to the background, where the system may end it at any moment.
    func backgrounded() async
    /// The app is back.
    func foregrounded() async
    /// The app ends in an orderly way.
    func ended()
}

extension Service {
    func launched() async throws {}
    func ready() async {}
    func backgrounded() async {}
    func foregrounded() async {}
    func ended() {}
}

/// Takes the services through the app's life.
struct ServiceCenter: Sendable {
    let services: [any Service]

    func launch() async throws { for service in services { try await service.launched() } }
    func ready() async { await all { await $0.ready() } }
    func background() async { for service in services { await service.backgrounded() } }
    func foreground() async { await all { await $0.foregrounded() } }
    /// Lets all services do something at the same time, so that none waits for another's network.
    private func all(_ body: @escaping @Sendable (any Service) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { await body(service) } }
        }
    }

    func end() { for service in services.reversed() { service.ended() } }
}
