extension Console {
    /// Prints a note about the default key, once for all files of a verb.
    func noteOldClients() {
        note("rsa-sha1 is for old clients; for a new app: patchpack \(ProjectTemplate.keygen)")
    }
}
