/// The files of a new project.
enum ProjectTemplate {
    /// Makes the keys of a new project. It has no old clients, so its algorithms differ from the default.
    static let keygen = "keygen -o keys --profile modern"

    static func files(app: String) -> [(name: String, text: String)] {
        [
            ("patches/hello.lua", patch(app)), ("specs/hello.lua", spec), ("interface.json", interface(app)),
            ("release.sh", release), (".github/workflows/patches.yml", workflow),
            (".gitignore", "dist/\ndist.new/\n*.pem\n!trusted.pem\n"),
            (".gitattributes", "*.js binary\n"), ("README.md", readme(app)),
        ]
    }

    private static func patch(_ app: String) -> String {
        """
        -- @patch    \(app).hello
        -- @version  1
        -- @app      \(app)
        -- @replaces Greeting.text
        --
        -- Describe here the fault in the app, and how this patch fixes it.
        patch.replace("Greeting.text", function(original, name)
          if name == "" then
            return original("stranger")
          end
          return original(name)
        end)

        """
    }

    private static let spec = """
        describe("Greeting.text", function()
          before_each(function()
            -- Does the work of the app's function, as far as the patch needs it.
            host.define("Greeting.text", function(name) return "Hello, " .. name .. "!" end)
          end)

          it("greets by name", function()
            assert.equal("Hello, Ada!", host.call("Greeting.text", "Ada"))
          end)

          it("greets a customer without a name", function()
            assert.equal("Hello, stranger!", host.call("Greeting.text", ""))
          end)

          it("never fails", function()
            host.call("Greeting.text", "Ada")
            assert.same({}, host.failures())
          end)
        end)

        """

    /// A sample interface, as the library writes it. The app's own interface replaces it.
    private static func interface(_ app: String) -> String {
        """
        {
          "schema": "patchpack.interface/1",
          "app": "\(app)",
          "appVersion": "1.0",
          "functions": [
            {"name":"Greeting.text","arguments":["string"],"result":"string","throws":false,"async":false}
          ],
          "classes": []
        }

        """
    }

    private static let release = """
        #!/bin/sh
        # Lints, packs and verifies every patch. It runs no spec, because specs are code and could read the keys: test first.
        # PATCHPACK_SIGNING_KEY, PATCHPACK_TRUSTED_KEY and PATCHPACK_SCRIPT_KEY name the keys. Each is a file, or env:NAME
        # for a variable that holds the key. The defaults are the files in keys/.
        set -eu
        cd "$(dirname "$0")"
        export PATCHPACK_INTERFACE=interface.json
        export PATCHPACK_SIGNING_KEY="${PATCHPACK_SIGNING_KEY:-keys/signing.pem}"
        export PATCHPACK_TRUSTED_KEY="${PATCHPACK_TRUSTED_KEY:-keys/trusted.pem}"
        export PATCHPACK_SCRIPT_KEY="${PATCHPACK_SCRIPT_KEY:-keys/script.key}"

        patchpack lint -r patches --strict
        # The last output is replaced only if every patch is good.
        rm -rf dist.new
        patchpack pack patches/*.lua -o dist.new --all-or-nothing
        patchpack verify -r dist.new
        rm -rf dist
        mv dist.new dist

        """

    private static func readme(_ app: String) -> String {
        """
        # Patches for \(app)

            # once; keys/signing.pem stays secret
            patchpack \(keygen)
            patchpack test patches --spec specs --interface interface.json
            sh release.sh                                  # lint, pack, verify: dist/*.js

        `--watch` runs the tests again after each change. Specs are code, as any test is. So the workflow runs them in a job that has no key, and
        `release.sh` runs none. The keys are ed25519 and aes-256-gcm+sha256. If your app reads only rsa-sha1, make them with `--profile mpaas`.

        `interface.json` lists the functions and types that the app offers to patches. The app writes it (`registry.interface(of:)`).
        `patchpack interface diff` shows which changes between two versions of it could break a patch.

        """
    }
}
