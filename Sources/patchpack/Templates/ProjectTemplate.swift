/// The files of a new project.
enum ProjectTemplate {
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
        -- Describe here what is wrong in the app, and what this patch does about it.
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
            -- Does what the app's function does, as far as the patch needs it.
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
        # Lints, tests, packs and verifies every patch. The spec of patches/NAME.lua is specs/NAME.lua.
        # PATCHPACK_SIGNING_KEY, PATCHPACK_TRUSTED_KEY and PATCHPACK_SCRIPT_KEY name the keys. Each is a file, or env:NAME
        # for a variable that holds the key. The defaults are the files in keys/.
        set -eu
        cd "$(dirname "$0")"
        export PATCHPACK_INTERFACE=interface.json
        export PATCHPACK_SIGNING_KEY="${PATCHPACK_SIGNING_KEY:-keys/signing.pem}"
        export PATCHPACK_TRUSTED_KEY="${PATCHPACK_TRUSTED_KEY:-keys/trusted.pem}"
        export PATCHPACK_SCRIPT_KEY="${PATCHPACK_SCRIPT_KEY:-keys/script.key}"

        patchpack lint -r patches --strict
        patchpack test patches --spec specs
        # What was packed before is replaced only by what is good as a whole.
        rm -rf dist.new
        patchpack pack patches/*.lua -o dist.new --all-or-nothing
        patchpack verify -r dist.new
        rm -rf dist
        mv dist.new dist

        """

    private static let workflow = """
        # Lints and tests each patch. On a push, where the signing key is available, also packs and verifies all patches.
        # The secret SIGNING_KEY holds signing.pem; keys/trusted.pem and keys/script.key are in the repository.
        name: patches
        on: [push, pull_request]
        permissions:
          contents: read
        jobs:
          patches:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with:
                  persist-credentials: false
              - name: Put patchpack on the PATH
                # Change this to where your team keeps the tool from `make build`. It needs only the libraries below.
                run: |
                  sudo apt-get update && sudo apt-get install -y libssl3 libzip4 zlib1g liblua5.4-0
                  install -D tools/patchpack "$HOME/.local/bin/patchpack"
                  echo "$HOME/.local/bin" >>"$GITHUB_PATH"
              - name: Lint
                run: patchpack lint -r patches --strict --interface interface.json --format github
              - name: Test
                run: patchpack test patches --spec specs --interface interface.json
              - name: Pack and verify
                if: github.event_name == 'push'
                env:
                  SIGNING_KEY: ${{ secrets.SIGNING_KEY }}
                  PATCHPACK_SIGNING_KEY: env:SIGNING_KEY
                run: sh release.sh
              - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
                if: github.event_name == 'push'
                with:
                  name: patches
                  path: dist

        """

    private static func readme(_ app: String) -> String {
        """
        # Patches for \(app)

            patchpack keygen -o keys                       # once; keys/signing.pem stays secret
            patchpack test patches/hello.lua --spec specs/hello.lua --interface interface.json --watch
            sh release.sh                                  # lint, test, pack, verify: dist/*.js

        `interface.json` lists what the app offers to patches. The app writes it (`registry.interface(of:)`).
        `patchpack interface diff` shows which changes between two versions of it could break a patch.

        """
    }
}
