public import PatchCrypto
public import PatchRunner
internal import PatchText

/// The device, as an event log describes it in each line. The JSON uses the names of OpenTelemetry's resources.
public struct EventResource: Sendable, Equatable {
    /// The app's reverse-DNS name: `service.name`.
    public var app: String
    /// The app's version: `service.version`.
    public var appVersion: AppVersion
    /// A random name of this installation, such as `PatchDevice.installation`: `app.installation.id`.
    public var installation: String
    /// The app's environment, such as `release`: `deployment.environment.name`.
    public var environment: String?
    /// The groups that the device is in: `device.groups`.
    public var groups: Set<String> = []
    /// The user's id, if the log should name the user: `user.id`. No report needs it.
    public var user: String?

    /// The operating system, such as `Debian`: `os.name`. Reports count devices by it.
    public var system: String?
    /// The operating system's version: `os.version`.
    public var systemVersion: String?
    /// The device's model, such as `ThinkPad T14`: `device.model.identifier`.
    public var model: String?

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - host: The program that patches run in.
    ///   - installation: A random name of this installation.
    ///   - environment: The app's environment.
    public init(host: HostInfo, installation: String, environment: String? = nil) {
        app = host.app
        appVersion = host.version
        self.installation = installation
        self.environment = environment
    }

    var json: JSONValue {
        let members: [(key: EventRecord.Key, value: JSONValue?)] = [
            (.installation, .string(installation)), (.app, .string(app)),
            (.appVersion, .string(appVersion.description)), (.environment, environment.map(JSONValue.string)),
            (.groups, groups.isEmpty ? nil : .array(groups.sorted().map(JSONValue.string))),
            (.user, user.map(JSONValue.string)), (.system, system.map(JSONValue.string)),
            (.systemVersion, systemVersion.map(JSONValue.string)), (.model, model.map(JSONValue.string)),
        ]
        return .object(sparse: members.map { ($0.key.rawValue, $0.value) })
    }
}

extension JSONValue {
    /// An object without the members that have no value.
    static func object(sparse members: [(key: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// An object whose members are in the order of their keys.
    static func object<Value>(sorted members: [String: Value], _ value: (Value) -> JSONValue) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { ($0.key, value($0.value)) })
    }
}
