package import PatchRunner

/// A patch as lint sees it, to explain a code.
package struct LintExample: Sendable {
    /// A script of the example.
    package struct File: Sendable {
        package let name: String
        /// Its bytes; nil if there is no such file.
        package let bytes: [UInt8]?
        /// The part that readers see, without an ordinary head.
        package let shown: String
    }

    /// The scripts, the entry first.
    package let files: [File]
    /// Whether the scripts are one patch.
    package let isBundle: Bool
    /// The sentence that explains it.
    package let sentence: String

    /// An example of one script.
    ///
    /// - Parameter text: The script. A head is added, unless it begins with a comment.
    init(_ text: String, _ sentence: String) { self.init([("patch.lua", text)], sentence) }

    /// An example of several scripts.
    init(_ files: [(name: String, text: String?)], isBundle: Bool = false, _ sentence: String) {
        self.files = files.map { name, text in
            File(name: name, bytes: text.map { Array(Self.script($0).utf8) }, shown: Self.shown(text))
        }
        self.isBundle = isBundle
        self.sentence = sentence
    }

    /// An example of one script that is saved in Latin-1.
    init(latin1 text: String, _ sentence: String) {
        let bytes = Self.script(text).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        files = [File(name: "patch.lua", bytes: bytes, shown: text)]
        isBundle = false
        self.sentence = sentence
    }

    private static func script(_ text: String) -> String {
        guard !text.utf8.starts(with: "--".utf8), !text.utf8.starts(with: "return".utf8) else { return text }
        let replaced = text.split(separator: "patch.replace(\"").dropFirst(text.hasPrefix("patch.") ? 0 : 1)
            .compactMap { $0.split(separator: "\"").first.map(String.init) }
        return """
            -- @patch    com.example.shop.example
            -- @version  1
            -- @app      com.example.shop
            -- @replaces \(replaced.isEmpty ? "Cart.total" : replaced.joined(separator: ", "))

            """ + text
    }

    /// The script, or its first and last lines if it is long.
    private static func shown(_ text: String?) -> String {
        guard let text else { return "(there is no such file)\n" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 40
            ? lines.prefix(8).joined(separator: "\n") + "\n  … \(lines.count - 16) more lines …\n"
                + lines.suffix(8).joined(separator: "\n")
            : text
    }

    /// The app of the examples.
    package static let interface = PatchInterface(
        app: "com.example.shop", appVersion: "2.0",
        functions: [
            function("Cart.total", ["price: number", "quantity: integer"], "number"),
            function("Cart.tax", ["price: number"], "number", throws: false),
            function("Cart.find", ["name: string"], "Item or nil"),
            function("Cart.sorted", ["items: array of Item"], "array of Item"),
            function("Cart.meal", ["hour: integer"], "Meal"),
            function("Cart.pay", ["wallet: Wallet", "cents: integer"], "boolean"),
        ],
        structs: [
            .init(
                name: "Item",
                fields: [
                    .init(name: "name", type: "string"), .init(name: "price", type: "number"),
                    .init(name: "count", type: "integer"),
                ])
        ],
        scalars: [
            .init(name: "Meal", type: "string", cases: ["breakfast", "lunch", "dinner"].map { .string($0) })
        ],
        classes: [
            .init(
                name: "Wallet",
                methods: [function("balance", [], "integer"), function("spend", ["cents: integer"], "boolean")])
        ])

    private static func function(
        _ name: String, _ arguments: [String], _ result: String, throws: Bool = true
    ) -> PatchInterface.Function {
        let parts = arguments.map { $0.split(separator: ":", maxSplits: 1).map { String($0.drop { $0 == " " }) } }
        return .init(
            name: name,
            signature: PatchSignature(
                parts.map { $0[1] }, parameters: parts.map { $0[0] }, result: result, throws: `throws`))
    }

    /// The declarations in the examples' app of the things that a string names, one line each.
    package static func offered(in text: String) -> [String] {
        func isIn(_ name: String) -> Bool { text.utf8.split { !isWord($0) }.contains { $0.elementsEqual(name.utf8) } }
        func isWord(_ byte: UInt8) -> Bool { byte == 0x2E || byte == 0x3A || byte == 0x5F || byte | 0x20 > 0x60 }
        func line(_ name: String, _ signature: PatchSignature) -> String {
            let arguments = zip(signature.parameters, signature.arguments).map { "\($0): \($1)" }
            return
                "\(name)(\(arguments.joined(separator: ", ")))\(signature.throws ? " throws" : "") -> \(signature.result)"
        }
        let functions = interface.functions.filter { isIn($0.name) }
        let types = functions.flatMap { $0.signature.arguments + [$0.signature.result] }
            .flatMap { InterfaceType($0).names }
        return functions.map { line($0.name, $0.signature) }
            + interface.structs.filter { types.contains($0.name) }.map {
                "\($0.name): \($0.fields.map { "\($0.name) is \($0.type)" }.joined(separator: ", "))"
            }
            + interface.scalars.filter { types.contains($0.name) }.map {
                "\($0.name): "
                    + $0.cases.map { if case .string(let text) = $0 { "\"\(text)\"" } else { "" } }
                    .joined(separator: ", ")
            }
            + interface.classes.filter { types.contains($0.name) }.flatMap { exposed in
                exposed.methods.map { line("\(exposed.name):\($0.name)", $0.signature) }
            }
    }
}
