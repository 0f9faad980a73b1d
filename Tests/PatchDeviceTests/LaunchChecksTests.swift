import Dispatch
import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport
import Testing

@testable import PatchDevice

/// A launch verifies patches on other threads, and activates them in their order.
@Suite(.ownThreads) struct LaunchChecksTests {
    private static func check(_ index: Int) -> PatchStore.Check {
        PatchStore.Check(result: .failure(PatchError(.malformed, "\(index)")), manifest: nil)
    }

    private func message(_ check: PatchStore.Check) -> String? {
        if case .failure(let error) = check.result { error.message } else { nil }
    }

    @Test(arguments: [0, 1, 7, 8, 9, 100]) func launchChecksTakenInOrderAreMadeOnce(count: Int) {
        let made = Mutex<[Int]>([])
        let checks = LaunchChecks(count) { index in
            made.locked { $0.append(index) }
            return Self.check(index)
        }
        for index in 0..<count { #expect(message(checks.take(index)) == "\(index)") }
        #expect(made.locked { $0.sorted() } == Array(0..<count))
    }

    @Test func launchChecksFirstCheckWaitsOtherThreadMakesNext() {
        let another = DispatchSemaphore(value: 0)
        let checks = LaunchChecks(2) { index in
            // This thread makes the first one, and waits for another thread that makes the second one.
            if index == 0 { another.wait() } else { another.signal() }
            return Self.check(index)
        }
        #expect(message(checks.take(0)) == "0")
        #expect(message(checks.take(1)) == "1")
    }

    @Test func aLaunchWaitsForACheckThatAnotherThreadMakes() {
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let first = Mutex<String?>(nil)
        let checks = LaunchChecks(2) { index in
            if index == 1 {
                begun.signal()
                goOn.wait()
            }
            return Self.check(index)
        }
        begun.wait()
        DispatchQueue.global().async {
            let taken = self.message(checks.take(0))
            first.locked { $0 = taken }
            goOn.signal()
        }
        #expect(message(checks.take(1)) == "1")
        #expect(first.locked { $0 } == "0")
    }
}
