import Foundation
import Synchronization

/// A server of HTTP on the loopback interface, for this example: a thread for each core answers one request after the
/// other.
final class FileServer: Sendable {
    private let socket: Int32
    private let answer: @Sendable (_ path: String) -> (status: Int, body: String)
    private let isStopped = Atomic(false)
    private let threads = DispatchGroup()

    struct Failure: Error {
        let call: String
        let code = errno
    }

    /// Listens on a port that several processes may share.
    init(port: UInt16, _ answer: @escaping @Sendable (_ path: String) -> (status: Int, body: String)) throws {
        self.answer = answer
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(call: "socket") }
        var on: Int32 = 1
        for option in [SO_REUSEADDR, SO_REUSEPORT] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, size) == 0 }
        }
        guard isBound else { throw Failure(call: "bind") }
        guard listen(socket, 1024) == 0 else { throw Failure(call: "listen") }
    }

    /// Answers requests, each on a thread of its own, until the server is stopped.
    func start() {
        for _ in 0..<4 {
            threads.enter()
            Thread.detachNewThread { [self] in
                serve()
                threads.leave()
            }
        }
    }

    /// Takes no more requests, and waits for those that it has.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        shutdown(socket, Int32(SHUT_RDWR))
        threads.wait()
        close(socket)
    }

    private func serve() {
        while !isStopped.load(ordering: .relaxed) {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            defer { close(connection) }
            var time = timeval(tv_sec: 1, tv_usec: 0)
            unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout.size(ofValue: time)))
            guard let path = path(from: connection) else { continue }
            let (status, body) = answer(path)
            let head =
                "HTTP/1.1 \(status) -\r\nContent-Length: \(body.utf8.count)\r\nWorker: \(getpid())\r\nConnection: close\r\n\r\n"
            let bytes = Array((head + body).utf8)
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes[sent...].withUnsafeBytes {
                    unsafe send(connection, $0.baseAddress, $0.count, 0)
                }
                guard count > 0 else { break }
                sent += count
            }
        }
    }

    /// Reads a request of at most 8 KiB, and returns its path.
    private func path(from connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = unsafe recv(connection, &buffer, buffer.count - bytes.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            guard bytes.count < buffer.count else { return nil }
        }
        let words = String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        return words.count == 3 && words[0] == "GET" ? words[1].removingPercentEncoding : nil
    }
}

extension Substring {
    fileprivate var removingPercentEncoding: String? { String(self).removingPercentEncoding }
}
