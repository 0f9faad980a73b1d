/// A part of the app with a life of its own, as a micro-application has.
///
/// Each function is called once for each moment of the app's life, in the order in which the services were added; `ended` in
/// the reverse order.
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
    func ready() async { for service in services { await service.ready() } }
    func background() async { for service in services { await service.backgrounded() } }
    func foreground() async { for service in services { await service.foregrounded() } }
    func end() { for service in services.reversed() { service.ended() } }
}
