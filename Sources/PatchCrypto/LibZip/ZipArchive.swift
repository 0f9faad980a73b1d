internal import CLibzip

/// Reads and writes the members of a zip in memory: stored ones where they are, the others with libzip.
enum ZipArchive {
    static var version: String { unsafe zip_libzip_version().map { unsafe String(cString: $0) } ?? "unknown" }

    /// Checks every member's CRC, and inflates those that are deflated.
    ///
    /// - Parameter directory: The structure, already checked; its sizes limit the memory that is allocated.
    /// - Returns: For each member, in the directory's order, its inflated bytes; nil if it is stored.
    /// - Throws: `malformed` if a CRC is wrong, or a deflated stream is not as long as its headers say, `unavailable`
    ///   if libzip or zlib is out of memory.
    static func inflated(
        _ directory: ZipDirectory, in buffer: [UInt8], at range: Range<Int>
    ) throws(PatchError) -> [[UInt8]?] {
        guard directory.members.contains(where: \.isDeflated) else {
            for member in directory.members { try check(stored: member, in: buffer) }
            return directory.members.map { _ in nil }
        }
        guard isReady else { throw PatchError(.unavailable, "libzip is out of memory").ofCircumstance }
        return try unsafe buffer.withUnsafeBufferPointer { (bytes) throws(PatchError) in
            let source = unsafe zip_source_buffer_create(
                bytes.baseAddress.unsafelyUnwrapped + range.lowerBound, UInt64(range.count), 0, nil)
            guard let archive = unsafe zip_open_from_source(source, ZIP_RDONLY, nil) else {
                unsafe zip_source_free(source)
                throw PatchError(.malformed, "zip: inconsistent, according to libzip")
            }
            defer { unsafe zip_discard(archive) }
            guard unsafe zip_get_num_entries(archive, 0) == directory.members.count else {
                throw PatchError(.malformed, "zip: libzip counts another number of members")
            }
            var contents: [[UInt8]?] = []
            for (index, member) in directory.members.enumerated() {
                guard member.isDeflated else {
                    try check(stored: member, in: buffer)
                    contents.append(nil)
                    continue
                }
                try unsafe checkDeflated(UnsafeBufferPointer(rebasing: bytes[member.data]), member)
                try unsafe contents.append(inflated(member, at: index, of: archive))
            }
            return contents
        }
    }

    private static func check(stored member: ZipMember, in buffer: [UInt8]) throws(PatchError) {
        let crc = unsafe buffer.withUnsafeBufferPointer { bytes in
            let data = unsafe UnsafeBufferPointer(rebasing: bytes[member.data])
            return unsafe crc32_z(0, data.baseAddress, data.count)
        }
        guard crc == member.crc else { throw PatchError(.malformed, "zip: \(member.name) has a wrong CRC") }
    }

    private static func inflated(
        _ member: ZipMember, at index: Int, of archive: OpaquePointer
    ) throws(PatchError) -> [UInt8] {
        guard let file = unsafe zip_fopen_index(archive, UInt64(index), 0) else {
            throw PatchError(.malformed, "zip: libzip cannot read \(member.name)")
        }
        defer { unsafe zip_fclose(file) }
        var isWhole = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: member.size) { buffer, count in
            // libzip checks the CRC in the read after the last byte.
            var excess: UInt8 = 0
            isWhole =
                unsafe zip_fread(file, buffer.baseAddress, UInt64(member.size)) == member.size
                && zip_fread(file, &excess, 1) == 0
            count = isWhole ? member.size : 0
        }
        guard isWhole else {
            throw PatchError(.malformed, "zip: \(member.name) has the wrong length or a wrong CRC")
        }
        return bytes
    }

    /// Checks that a deflated stream ends at its last byte, and inflates to the size in its header.
    ///
    /// libzip accepts a stream that ends early and ignores the rest. So zlib is used to find where the stream ends.
    private static func checkDeflated(
        _ data: UnsafeBufferPointer<UInt8>, _ member: ZipMember
    ) throws(PatchError) {
        // zlib keeps a pointer to its stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        let outOfMemory = PatchError(.unavailable, "not enough memory for zlib").ofCircumstance
        guard unsafe clibzip_inflateInitRaw(stream) == Z_OK else { throw outOfMemory }
        defer { unsafe inflateEnd(stream) }
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: data.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(data.count)
        var scratch = [UInt8](repeating: 0, count: 32 << 10)
        var status = Z_OK
        while status == Z_OK, unsafe Int(stream.pointee.total_out) <= member.size {
            status = unsafe scratch.withUnsafeMutableBufferPointer { scratch in
                unsafe stream.pointee.next_out = scratch.baseAddress
                unsafe stream.pointee.avail_out = UInt32(scratch.count)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
        guard status != Z_MEM_ERROR else { throw outOfMemory }
        guard
            unsafe status == Z_STREAM_END && stream.pointee.avail_in == 0
                && Int(stream.pointee.total_out) == member.size
        else {
            throw PatchError(
                .malformed, "zip: the deflated data of \(member.name) does not end at the length in its headers")
        }
    }

    /// Whether libzip could open a first archive. One thread opens it before all others.
    ///
    /// When libzip opens its first archive, it sets two variables to the operations that a source must support, without
    /// a lock. A thread that reads them in the meantime treats its archive as read-only.
    private static let isReady: Bool = {
        guard let source = unsafe zip_source_buffer_create(nil, 0, 0, nil) else { return false }
        guard let archive = unsafe zip_open_from_source(source, ZIP_TRUNCATE, nil) else {
            unsafe zip_source_free(source)
            return false
        }
        unsafe zip_discard(archive)
        return true
    }()

    /// Writes members, so that the same members always produce the same bytes.
    ///
    /// Each member is stored, dated 1980-01-01 and has mode 0644.
    ///
    /// - Throws: `unavailable` if libzip is out of memory, `internal` if it fails.
    static func write(_ members: [(name: String, bytes: [UInt8])]) throws(PatchError) -> [UInt8] {
        let failure = PatchError(.unavailable, "libzip is out of memory").ofCircumstance
        guard isReady, let target = unsafe zip_source_buffer_create(nil, 0, 0, nil) else { throw failure }
        defer { unsafe zip_source_free(target) }
        guard let archive = unsafe zip_open_from_source(target, ZIP_TRUNCATE, nil) else { throw failure }
        unsafe zip_source_keep(target)  // the archive takes one reference, this function keeps the other
        guard unsafe add(members[...], to: archive) else {
            let detail = unsafe String(cString: zip_strerror(archive))
            unsafe zip_discard(archive)
            throw PatchError(.internal, "libzip cannot write the archive: \(detail)")
        }
        guard let bytes = unsafe contents(of: target) else { throw failure }
        return bytes
    }

    /// Adds the members and closes the archive. libzip reads them only then, so each stays in place until then.
    private static func add(
        _ members: ArraySlice<(name: String, bytes: [UInt8])>, to archive: OpaquePointer
    ) -> Bool {
        guard let member = members.first else { return unsafe zip_close(archive) == 0 }
        return unsafe member.bytes.withUnsafeBufferPointer { buffer in
            unsafe add(member.name, buffer, to: archive) && add(members.dropFirst(), to: archive)
        }
    }

    private static func add(_ name: String, _ buffer: UnsafeBufferPointer<UInt8>, to archive: OpaquePointer) -> Bool {
        let source = unsafe zip_source_buffer(archive, buffer.baseAddress, UInt64(buffer.count), 0)
        // Names are ASCII. With ZIP_FL_ENC_UTF_8, libzip 1.11 sets a flag for the encoding, but libzip 1.7 does not.
        let index = unsafe zip_file_add(archive, name, source, 0)
        guard index >= 0 else {
            unsafe zip_source_free(source)
            return false
        }
        let firstDay: UInt16 = 1 << 5 | 1  // 1980-01-01 as a DOS date
        return unsafe zip_set_file_compression(archive, UInt64(index), ZIP_CM_STORE, 0) == 0
            && zip_file_set_dostime(archive, UInt64(index), 0, firstDay, 0) == 0
            && zip_file_set_external_attributes(
                archive, UInt64(index), 0, UInt8(ZIP_OPSYS_UNIX), 0o100644 << 16) == 0
    }

    /// The bytes of the archive that was written; nil if libzip cannot read them.
    private static func contents(of source: OpaquePointer) -> [UInt8]? {
        guard unsafe zip_source_open(source) == 0 else { return nil }
        defer { unsafe zip_source_close(source) }
        guard unsafe zip_source_seek(source, 0, SEEK_END) == 0 else { return nil }
        let size = unsafe Int(zip_source_tell(source))
        guard size >= 0, unsafe zip_source_seek(source, 0, SEEK_SET) == 0 else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, unsafe Int(zip_source_read(source, buffer.baseAddress, UInt64(size))))
        }
        return bytes.count == size ? bytes : nil
    }
}
