#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// The reason why a macro cannot be expanded, at the token that has to change.
    struct Fault: DiagnosticMessage {
        let message: String
        var severity: DiagnosticSeverity { .error }
        var diagnosticID: MessageID { MessageID(domain: "PatchMacros", id: message) }

        static func at(_ node: some SyntaxProtocol, _ message: String) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [Diagnostic(node: node, message: Fault(message: message))])
        }
    }

    extension AttributeSyntax {
        /// The name in `@Patchable`, as it is written.
        var writtenName: ExprSyntax? { arguments?.as(LabeledExprListSyntax.self)?.first?.expression }

        var isAvailability: Bool { attributeName.trimmedDescription == "available" }

        /// The attribute as it is written, without white space.
        var dense: String { trimmedDescription.filter { !$0.isWhitespace } }
    }

    extension WithAttributesSyntax {
        /// The attribute with a name, whether it is written with its module or not.
        func attribute(_ name: String) -> AttributeSyntax? {
            attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first {
                let written = $0.attributeName.trimmedDescription
                return written == name || written == "PatchMacros.\(name)"
            }
        }
    }

    extension TokenSyntax {
        /// A name without backticks.
        var bare: String { text.filter { $0 != "`" } }

        /// The label of an argument: a keyword needs no backticks there, and a name like `unit price` or `1st` does.
        var label: String {
            let isWord = bare.first?.isNumber == false && bare.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            return isWord ? bare : text
        }
    }

    extension AttributeListSyntax {
        /// The `@available` attributes for the declarations that a macro adds, each followed by a space.
        ///
        /// - Parameter areUsed: Whether the macro's own code uses the declarations. It would be warned of deprecated
        ///   ones.
        func availability(areUsed: Bool) -> String {
            compactMap { $0.as(AttributeSyntax.self) }.filter { attribute in
                let isLeftOut = areUsed && attribute.dense.hasPrefix("@available(*,deprecated")
                return attribute.isAvailability && !isLeftOut
            }.map { "\($0.trimmedDescription) " }.joined()
        }

        /// The attribute by which a declaration is missing in some versions of a platform, so that code for all of them
        /// cannot use it; nil if there is none.
        var limitation: AttributeSyntax? {
            compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
                guard attribute.isAvailability else { return false }
                let words = attribute.dense.split { ",()".contains($0) }
                // `macOS 26, *` ends in a star, and `*, deprecated` begins with one.
                return words.last == "*"
                    || words.contains {
                        $0.hasPrefix("introduced:") || $0.hasPrefix("obsoleted:") || $0 == "unavailable"
                    }
            }
        }
    }

    extension IfConfigDeclSyntax {
        /// The declarations of all of its clauses. The compiler does not tell a macro which of them it takes.
        var declarations: [DeclSyntax] {
            clauses.flatMap { clause -> [DeclSyntax] in
                guard case .decls(let members)? = clause.elements else { return [] }
                return members.flatMap { $0.decl.as(IfConfigDeclSyntax.self)?.declarations ?? [$0.decl] }
            }
        }
    }

    extension DeclModifierListSyntax {
        /// Whether a keyword is among them, without a detail such as `(set)`.
        func has(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil } }

        /// The access level that a static property of the same type can have, followed by a space; empty if none is
        /// written.
        var access: String {
            for keyword: Keyword in [.private, .fileprivate, .internal, .package, .public] where has(keyword) {
                return "\(TokenSyntax.keyword(keyword).text) "
            }
            return has(.open) ? "public " : ""
        }
    }
#endif
