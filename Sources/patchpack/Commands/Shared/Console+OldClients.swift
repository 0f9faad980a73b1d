extension Console {
    /// Says what the default key is for. A verb says it once, however many files it packs.
    func noteOldClients() {
        note("rsa-sha1 is for old clients; for a new app: patchpack \(ProjectTemplate.keygen)")
    }
}
