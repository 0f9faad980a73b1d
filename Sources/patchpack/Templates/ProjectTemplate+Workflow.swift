extension ProjectTemplate {
    /// The CI workflow. scripts/check/workflows.sh takes it from this file and checks it.
    static let workflow = """
        # Lints and tests each patch, in a job without secrets: specs are code. On a push to main, a second job packs and verifies all
        # patches, from a checkout of its own. SIGNING_KEY is a secret of the environment `release`, which you make in the repository's
        # settings, with people who approve and for the branch main only. It holds signing.pem. keys/trusted.pem and keys/script.key are in
        # the repository.
        name: patches
        on:
          push:
            branches: [main]
          pull_request:
        permissions:
          contents: read
        concurrency:
          group: ${{ github.workflow }}-${{ github.ref }}
          cancel-in-progress: false
        jobs:
          test:
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
          pack:
            needs: test
            if: github.event_name == 'push' && github.ref == 'refs/heads/main'
            runs-on: ubuntu-latest
            environment: release
            steps:
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with:
                  persist-credentials: false
              - name: Put patchpack on the PATH
                run: |
                  sudo apt-get update && sudo apt-get install -y libssl3 libzip4 zlib1g liblua5.4-0
                  install -D tools/patchpack "$HOME/.local/bin/patchpack"
                  echo "$HOME/.local/bin" >>"$GITHUB_PATH"
              - name: Pack and verify
                env:
                  SIGNING_KEY: ${{ secrets.SIGNING_KEY }}
                  PATCHPACK_SIGNING_KEY: env:SIGNING_KEY
                run: sh release.sh
              - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
                with:
                  name: patches
                  path: dist

        """
}
