#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Declares a struct's stored properties as the fields that scripts see.
    enum PatchStructMacro: ExtensionMacro {
        private static let mostFields = 16

        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard let structure = declaration.as(StructDeclSyntax.self) else {
                throw Fault.at(
                    declaration.introducer,
                    "@PatchStruct is for structs; a class can be a PatchObject, and an enum a PatchValue that is Codable"
                )
            }
            try checkGenerics(of: structure, in: context)
            var fields: [TokenSyntax] = []
            var omitted: [TokenSyntax] = []
            for member in structure.memberBlock.members {
                if let condition = member.decl.as(IfConfigDeclSyntax.self) { try check(condition) }
                guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
                let isOmitted = variable.attribute("PatchOmitted") != nil
                for name in try storedProperties(of: variable, isOmitted: isOmitted) {
                    if isOmitted { omitted.append(name) } else { fields.append(name) }
                }
            }
            guard let last = fields.last else {
                throw Fault.at(structure.name, "a @PatchStruct needs a stored property that scripts can see")
            }
            guard fields.count <= mostFields else {
                throw Fault.at(last, "a @PatchStruct has at most sixteen fields; let one of them be a struct")
            }
            try checkInitializers(of: structure, fields)
            // A reference to a function has all of its parameters, including the ones with default values.
            let name = type.trimmedDescription
            let labels = fields.map { "\($0.label):" }.joined()
            let arguments = fields.enumerated().map { "\($1.label): $\($0)" }.joined(separator: ", ")
            let make = omitted.isEmpty ? "\(name).init(\(labels))" : "{ \(name)(\(arguments)) }"
            let list = fields.map { ".field(\"\($0.bare)\", \\.\($0.text))" }.joined(separator: ", ")
            let omissions = omitted.map { ".omitting(\\.\($0.text))" }.joined()
            let conformance = protocols.isEmpty ? "" : ": PatchStruct"
            let access = try access(of: structure, in: context)
            return [
                try ExtensionDeclSyntax(
                    """
                    \(raw: structure.attributes.availability(areUsed: false))nonisolated extension \(type.trimmed)\(raw: conformance) {
                        \(raw: access)static let patchFields = PatchFields(\(raw: make), \(raw: list))\(raw: omissions)
                    }
                    """)
            ]
        }

        /// Checks that neither a struct nor a type around it is generic.
        private static func checkGenerics(
            of structure: StructDeclSyntax, in context: some MacroExpansionContext
        ) throws {
            if let generic = structure.genericParameterClause {
                throw Fault.at(
                    generic,
                    "a generic struct cannot be a @PatchStruct; declare its patchFields manually, for each type"
                )
            }
            for outer in context.lexicalContext {
                guard let generic = outer.asProtocol((any WithGenericParametersSyntax).self),
                    generic.genericParameterClause != nil
                else { continue }
                throw Fault.at(
                    structure.name, "a struct in a generic type cannot be a @PatchStruct; move it out of the type")
            }
        }

        /// Checks that a condition has no property that an instance stores.
        private static func check(_ condition: IfConfigDeclSyntax) throws {
            let variables = condition.declarations.compactMap { $0.as(VariableDeclSyntax.self) }
            let stored = variables.filter { variable in
                !variable.modifiers.has(.static) && variable.bindings.contains { !isComputed($0) }
            }
            guard stored.isEmpty else {
                throw Fault.at(
                    condition, "a property of a @PatchStruct cannot be in #if; declare it without a condition")
            }
        }

        /// The access level of the fields, followed by a space: the struct's own, or the narrower one of an enclosing
        /// type.
        private static func access(
            of structure: StructDeclSyntax, in context: some MacroExpansionContext
        ) throws -> String {
            let own = structure.modifiers.access
            guard own != "private " || context.lexicalContext.isEmpty else {
                throw Fault.at(
                    structure.name, "a private struct in a type cannot be a @PatchStruct; make it fileprivate")
            }
            let outer = context.lexicalContext.compactMap {
                $0.asProtocol((any WithModifiersSyntax).self)?.modifiers.access
            }
            if ([own] + outer).contains(where: { ["private ", "fileprivate "].contains($0) }) { return "fileprivate " }
            // A declaration in a `public extension` is public by default.
            let isInExtension = context.lexicalContext.first?.is(ExtensionDeclSyntax.self) == true
            guard own.isEmpty, isInExtension else { return own }
            return outer.first ?? ""
        }

        /// The names of the properties that an instance stores and an initializer sets.
        private static func storedProperties(of variable: VariableDeclSyntax, isOmitted: Bool) throws -> [TokenSyntax] {
            guard !variable.modifiers.has(.static) else { return [] }
            var names: [TokenSyntax] = []
            for binding in variable.bindings {
                if isComputed(binding) { continue }
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                    throw Fault.at(binding.pattern, "a @PatchStruct declares each property by itself")
                }
                if variable.modifiers.has(.lazy) {
                    throw Fault.at(name, "a lazy property cannot be a field; make it a computed one")
                }
                let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
                if isOmitted, isConstant || binding.initializer == nil {
                    throw Fault.at(
                        name,
                        "a property that is @PatchOmitted is a variable with a default value, which it has after a call"
                    )
                }
                if isConstant, binding.initializer != nil {
                    throw Fault.at(
                        name,
                        "a constant with a value cannot be a field; make it static, or a variable that is @PatchOmitted"
                    )
                }
                names.append(name)
            }
            return names
        }

        private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
            guard case .accessors(let accessors) = binding.accessorBlock?.accessors else {
                return binding.accessorBlock != nil
            }
            return !accessors.contains {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }

        /// Checks that a struct can be made of its fields. With an initializer of its own, it has no memberwise one.
        private static func checkInitializers(of structure: StructDeclSyntax, _ fields: [TokenSyntax]) throws {
            let initializers = structure.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
            guard let first = initializers.first else { return }
            let labels = fields.map(\.bare)
            let hasMemberwise = initializers.contains { initializer in
                let signature = initializer.signature
                return signature.parameterClause.parameters.map { $0.firstName.bare } == labels
                    && initializer.optionalMark == nil && signature.effectSpecifiers == nil
                    && initializer.genericParameterClause == nil
            }
            guard !hasMemberwise else { return }
            throw Fault.at(
                first.initKeyword,
                "a @PatchStruct needs init(\(labels.map { $0 + ":" }.joined())); move this initializer into an extension, and the "
                    + "struct has it by itself")
        }
    }

    /// Marks a property for `@PatchStruct`.
    enum PatchOmittedMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard declaration.is(VariableDeclSyntax.self) else {
                throw Fault.at(node, "@PatchOmitted is for a property of a @PatchStruct")
            }
            return []
        }
    }
#endif
