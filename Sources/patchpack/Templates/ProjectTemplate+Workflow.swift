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
        env:
          # The release to use. The hash is in its SHA256SUMS, whose signature you have checked.
          PATCHPACK_URL: https://example.com/patchpack/releases/download/1.0.0/patchpack-1.0.0-linux-x86_64.tar.xz
          PATCHPACK_SHA256: "0000000000000000000000000000000000000000000000000000000000000000"
        jobs:
          test:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with:
                  persist-credentials: false
              - name: Put patchpack on the PATH, if its hash is right
                run: |
                  curl -fsSL --retry 3 -o "$RUNNER_TEMP/patchpack.tar.xz" "$PATCHPACK_URL"
                  echo "$PATCHPACK_SHA256  $RUNNER_TEMP/patchpack.tar.xz" | sha256sum -c
                  mkdir "$RUNNER_TEMP/patchpack"
                  tar -xJf "$RUNNER_TEMP/patchpack.tar.xz" -C "$RUNNER_TEMP/patchpack" --strip-components=1
                  echo "$RUNNER_TEMP/patchpack/bin" >>"$GITHUB_PATH"
                  sudo apt-get update && sudo apt-get install -y libssl3 libzip4 zlib1g liblua5.4-0
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
              - name: Put patchpack on the PATH, if its hash is right
                run: |
                  curl -fsSL --retry 3 -o "$RUNNER_TEMP/patchpack.tar.xz" "$PATCHPACK_URL"
                  echo "$PATCHPACK_SHA256  $RUNNER_TEMP/patchpack.tar.xz" | sha256sum -c
                  mkdir "$RUNNER_TEMP/patchpack"
                  tar -xJf "$RUNNER_TEMP/patchpack.tar.xz" -C "$RUNNER_TEMP/patchpack" --strip-components=1
                  echo "$RUNNER_TEMP/patchpack/bin" >>"$GITHUB_PATH"
                  sudo apt-get update && sudo apt-get install -y libssl3 libzip4 zlib1g liblua5.4-0
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
