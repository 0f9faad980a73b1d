package import PatchCrypto

/// Where a client keeps the metadata that it trusts, between updates.
///
/// The client verifies metadata again after they are read, so damaged or changed ones count as missing. The server's
/// tag of the timestamp is kept too, and is sent as it was read.
package protocol FeedStorage: Sendable {
    /// Reads an item.
    ///
    /// - Parameters:
    ///   - name: A file name from `FeedClient`, such as `timestamp.json`. It has no `/`, and at most 255 bytes.
    ///   - limit: The maximum number of bytes; a larger item counts as missing.
    /// - Returns: nil if there is no such item, or it cannot be read.
    func read(_ name: String, limit: Int) -> [UInt8]?

    /// Writes an item whole, so that a crash leaves the old one or the new one.
    ///
    /// - Throws: `io` if that fails.
    func write(_ name: String, _ bytes: [UInt8]) throws(PatchError)

    /// Removes an item if it is there.
    ///
    /// - Throws: `io` if that fails.
    func remove(_ name: String) throws(PatchError)
}
