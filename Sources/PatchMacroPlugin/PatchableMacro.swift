#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Makes a function's body the original of a place that patches can replace, and declares that place.
    enum PatchableMacro: BodyMacro, PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            let function = try PatchableFunction(declaration, node, context)
            return [function.place]
        }

        static func expansion(
            of node: AttributeSyntax,
            providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
            in context: some MacroExpansionContext
        ) throws -> [CodeBlockItemSyntax] {
            // The other role reports the error, so it is not reported twice.
            guard let function = try? PatchableFunction(declaration, node, context) else {
                return Array(declaration.body?.statements ?? [])
            }
            return [function.body]
        }
    }

    /// A function that can be replaced.
    struct PatchableFunction {
        private static let mostParameters = 6
        /// Words that can name a parameter as they are, but have to be escaped in its body.
        private static let reserved = Set(
            """
            Any as associatedtype break case catch class continue default defer deinit do else enum extension
            fallthrough false fileprivate for func guard if import in init inout internal is let nil operator
            precedencegroup private protocol public repeat rethrows return self Self static struct subscript super
            switch throw throws true try typealias var where while
            """.split { " \n".contains($0) })

        private let function: FunctionDeclSyntax
        private let statements: CodeBlockItemListSyntax
        private let parameters: [(name: String, type: String)]
        /// The name that patches use.
        private let name: String

        private var effects: EffectsList { EffectsList(function.signature.effectSpecifiers) }
        private var result: String { function.signature.returnClause?.type.trimmedDescription ?? "Void" }
        /// The name of the place: `$` and the last part of the name that patches use.
        static func placeName(_ name: String) -> String { "$" + (name.split(separator: ".").last ?? "") }
        private var placeName: String { Self.placeName(name) }

        init(
            _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax, _ context: some MacroExpansionContext
        ) throws {
            guard let function = declaration.as(FunctionDeclSyntax.self) else {
                throw Fault.at(node, "@Patchable is for functions; let a function do the work, and call it here")
            }
            guard let body = function.body else {
                throw Fault.at(
                    function.name,
                    "a function without a body cannot be @Patchable; attach it to the one that has the body")
            }
            self.function = function
            statements = body.statements
            let owner = try Self.owner(of: function, context)
            try Self.check(function)
            parameters = try function.signature.parameterClause.parameters.map(Self.parameter)
            if let literal = node.writtenName {
                name = try Self.name(in: literal)
            } else if let word = function.modifiers.first(where: { $0.name.tokenKind == .keyword(.override) }) {
                throw Fault.at(
                    word,
                    "an override that is @Patchable needs a name of its own, as in @Patchable(\"Derived.derivedTotal\")"
                )
            } else {
                name = "\(owner).\(function.name.bare)"
                guard Self.isName(name) else {
                    throw Fault.at(
                        function.name,
                        "scripts cannot write this name; give another one, as in @Patchable(\"Cart.total\")")
                }
            }
        }

        /// The name of the type that a function is in.
        private static func owner(
            of function: FunctionDeclSyntax, _ context: some MacroExpansionContext
        ) throws -> String {
            var names: [String] = []
            for outer in context.lexicalContext {
                if let group = outer.as(ExtensionDeclSyntax.self) {
                    names.append(group.extendedType.trimmedDescription.filter { $0 != "`" })
                } else if let type = outer.asProtocol((any NamedDeclSyntax).self),
                    outer.isProtocol((any DeclGroupSyntax).self)
                {
                    names.append(type.name.bare)
                    if let generic = outer.asProtocol((any WithGenericParametersSyntax).self),
                        generic.genericParameterClause != nil
                    {
                        throw Fault.at(
                            function.name,
                            "a function of a generic type cannot be @Patchable, because such a type has no static properties; "
                                + "call a function of another type")
                    }
                    if outer.is(ProtocolDeclSyntax.self) {
                        throw Fault.at(
                            function.name, "a protocol's function cannot be @Patchable; attach it to the one of a type")
                    }
                } else {
                    throw Fault.at(function.name, "a function in a function cannot be @Patchable; move it into a type")
                }
            }
            return names.reversed().joined(separator: ".")
        }

        private static func check(_ function: FunctionDeclSyntax) throws {
            if let generic = function.genericParameterClause {
                throw Fault.at(generic, "a generic function cannot be @Patchable; scripts have no types to choose from")
            }
            let signature = function.signature
            if let clause = signature.effectSpecifiers?.throwsClause,
                clause.throwsSpecifier.tokenKind == .keyword(.rethrows)
            {
                throw Fault.at(
                    clause, "a function that rethrows cannot be @Patchable; a script cannot be given a closure")
            }
            if let type = signature.returnClause?.type { try check(type, "a result") }
            let parameters = signature.parameterClause.parameters
            if parameters.count > mostParameters, let first = parameters.dropFirst(mostParameters).first {
                throw Fault.at(first, "a @Patchable function has at most six parameters; let one of them be a struct")
            }
        }

        /// The name of a parameter in the body, and its type.
        private static func parameter(_ parameter: FunctionParameterSyntax) throws -> (name: String, type: String) {
            let name = parameter.secondName ?? parameter.firstName
            guard name.tokenKind != .wildcard else {
                throw Fault.at(
                    name, "a parameter of a @Patchable function needs a name, because a patch is given its value")
            }
            if let ellipsis = parameter.ellipsis {
                throw Fault.at(ellipsis, "a parameter of a @Patchable function cannot be variadic; use an array")
            }
            try check(parameter.type, "a parameter")
            return (
                reserved.contains(Substring(name.text)) ? "`\(name.text)`" : name.text,
                parameter.type.trimmedDescription
            )
        }

        /// Checks that a type's values can pass between the app and a script.
        ///
        /// - Parameter what: The place of the type, for messages.
        private static func check(_ type: TypeSyntax, _ what: String) throws {
            if let attributed = type.as(AttributedTypeSyntax.self) {
                if let specifier = attributed.specifiers.first {
                    let isIsolated = specifier.trimmedDescription == "isolated"
                    throw Fault.at(
                        specifier,
                        isIsolated
                            ? "\(what) of a @Patchable function cannot be isolated; remove it, a call stays on its caller's actor"
                            : "\(what) of a @Patchable function cannot be \(specifier.trimmedDescription); take a value, and return a new one"
                    )
                }
                return try check(attributed.baseType, what)
            }
            if let opaque = type.as(SomeOrAnyTypeSyntax.self), opaque.someOrAnySpecifier.tokenKind == .keyword(.some) {
                throw Fault.at(opaque, "\(what) of a @Patchable function cannot be opaque; name its type")
            }
            if type.is(FunctionTypeSyntax.self) {
                throw Fault.at(
                    type, "\(what) of a @Patchable function cannot be a function; a script has none to give or take")
            }
            if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                throw Fault.at(
                    unwrapped.exclamationMark,
                    "\(what) of a @Patchable function cannot be unwrapped implicitly; write ?")
            }
            guard let tuple = type.as(TupleTypeSyntax.self) else { return }
            if tuple.elements.count == 1, let inner = tuple.elements.first?.type { return try check(inner, what) }
            guard !tuple.elements.isEmpty else { return }  // `()` is `Void`
            throw Fault.at(tuple, "\(what) of a @Patchable function cannot be a tuple; declare a struct")
        }

        /// The name that an attribute gives to its function.
        private static func name(in literal: ExprSyntax) throws -> String {
            guard let name = literal.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
                throw Fault.at(literal, "the name is written here, between quotes, because scripts use it")
            }
            guard isName(name) else { throw Fault.at(literal, "a name has letters, digits and _, as in Cart.total") }
            return name
        }

        /// Whether scripts can use a name.
        private static func isName(_ name: String) -> Bool {
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                part.first.map { $0.isASCII && ($0.isLetter || $0 == "_") } == true
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            }
        }

        /// The declaration of the place.
        var place: DeclSyntax {
            let types = parameters.map(\.type).joined(separator: ", ")
            let isolation = effects.isAsync ? "nonisolated(nonsending) " : ""
            let names = parameters.map { "\"\($0.name.filter { $0 != "`" })\"" }.joined(separator: ", ")
            return """
                /// The place of ``\(raw: function.name.text)``, to register it.
                \(raw: function.attributes.availability(areUsed: true))\(raw: function.modifiers.access)nonisolated static let \(raw: placeName): PatchPoint<\(raw: isolation)(\(raw: types)) \
                \(raw: effects.ofPlace)-> \(raw: result)> = PatchPoint("\(raw: name)", parameters: [\(raw: names)])
                """
        }

        /// The body that asks the place.
        var body: CodeBlockItemSyntax {
            let arguments = parameters.map(\.name).joined(separator: ", ")
            let declared = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
            let call =
                "\(effects.ofCall)Self.\(placeName)(\(arguments)) { (\(declared)) \(effects.written)-> \(result) in\n\(statements)\n}"
            guard let error = effects.error else { return "return \(raw: call)" }
            return """
                do {
                    return \(raw: call)
                } catch let error as \(raw: error) {
                    throw error
                } catch {
                    throw \(raw: error)(thrownByPatch: error)
                }
                """
        }
    }

    /// The effects in a function's signature, between its parameters and its result.
    private struct EffectsList {
        let isAsync: Bool
        let canThrow: Bool
        /// The typed error; nil if the function can throw any error, or none.
        let error: String?

        init(_ specifiers: FunctionEffectSpecifiersSyntax?) {
            isAsync = specifiers?.asyncSpecifier != nil
            let clause = specifiers?.throwsClause
            let type = clause?.type?.trimmedDescription
            canThrow = clause != nil && type != "Never"
            error = ["Never", "any Error", "any Swift.Error", "Swift.Error"].contains(type) ? nil : type
        }

        /// For the function's body.
        var written: String {
            let throwing = error.map { "throws(\($0)) " } ?? "throws "
            return (isAsync ? "async " : "") + (canThrow ? throwing : "")
        }
        /// For the place, which may throw any error of a patch.
        var ofPlace: String { (isAsync ? "async " : "") + (canThrow ? "throws " : "") }
        /// For the call of the place.
        var ofCall: String { (canThrow ? "try " : "") + (isAsync ? "await " : "") }
    }

    /// Registers all patchable functions of a type.
    enum PatchesMacro: MemberMacro {
        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            let members = declaration.memberBlock.members.map(\.decl)
            for condition in members.compactMap({ $0.as(IfConfigDeclSyntax.self) }) {
                let functions = condition.declarations.compactMap { $0.as(FunctionDeclSyntax.self) }
                guard !functions.contains(where: { $0.attribute("Patchable") != nil }) else {
                    throw Fault.at(
                        condition, "a @Patchable function in #if; move it into an extension, and register it by itself")
                }
            }
            let functions = members.compactMap { $0.as(FunctionDeclSyntax.self) }
            for function in functions where function.attribute("Patchable") != nil {
                guard let limitation = function.attributes.limitation else { continue }
                throw Fault.at(
                    limitation,
                    "a @Patchable function that some versions lack; move it into an extension, and register it by itself"
                )
            }
            let places = functions.compactMap { function -> String? in
                guard let attribute = function.attribute("Patchable") else { return nil }
                let written = attribute.writtenName?.as(StringLiteralExprSyntax.self)?.representedLiteralValue
                return PatchableFunction.placeName(written ?? function.name.bare)
            }
            guard !places.isEmpty else {
                throw Fault.at(
                    node, "no function here is @Patchable; functions in extensions are registered one by one")
            }
            // In the type's body, `private` would keep it from the rest of the file.
            let access = declaration.modifiers.access == "private " ? "fileprivate " : declaration.modifiers.access
            return [
                """
                /// Registers the functions that patches can replace.
                ///
                /// - Throws: `PatchError` if a name is already registered, or if the functions are in another registry.
                \(raw: access)nonisolated static func registerPatches(in registry: PatchRegistry) throws {
                    try registry.register(\(raw: places.joined(separator: ", ")))
                }
                """
            ]
        }
    }
#endif
