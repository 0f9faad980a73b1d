import Foundation
import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Numbers about active patches for systems that collect metrics.
@Suite(.ownThreads) struct MetricTests {
    private func value(
        _ metrics: [PatchMetric], _ name: String, _ labels: [String: String] = [:]
    ) -> PatchMetric.Value? {
        let found = metrics.filter { metric in
            metric.name == "patchpack_\(name)"
                && labels.allSatisfy { label in
                    metric.labels.contains { $0.name == label.key && $0.value == label.value }
                }
        }
        return found.count == 1 ? found.first?.value : nil
    }

    /// A harness with a patch that fails once in three calls, and another one on the same name.
    private func harness() throws -> (Harness, Replaceable<@Sendable (Int) -> Int>) {
        let (harness, function) = try Harness.identity()
        _ = try harness.registry.replaceable("T.g") { () -> Void in }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              if x == 2 then error('no') end
              return x
            end)
            patch.replace('T.g', function() end)
            """, replaces: ["T.f", "T.g"])
        try harness.apply(
            "patch.replace('T.f', function(original, x) return original(x) end)", id: "com.example.shop.more",
            version: 7, replaces: ["T.f"])
        return (harness, function)
    }

    @Test func callsFailuresAndTimesAreCounted() throws {
        let (harness, function) = try harness()
        #expect(value(harness.registry.metrics, "calls", ["function": "T.g"]) == .counter(0))
        for x in 1...3 { #expect(function(x) == x) }
        let metrics = harness.registry.metrics
        let fix = ["patch": "com.example.shop.fix", "version": "1"]
        let inF = fix.merging(["function": "T.f"]) { $1 }
        #expect(value(metrics, "running", fix) == .gauge(1))
        #expect(value(metrics, "waiting_calls", fix) == .gauge(0))
        #expect(value(metrics, "instances", fix) == .gauge(1))
        #expect(value(metrics, "calls", inF) == .counter(3))
        #expect(value(metrics, "failures", inF) == .counter(1))
        #expect(value(metrics, "fallbacks", inF) == .counter(1))
        #expect(value(metrics, "fallbacks", inF.merging(["reason": "failed"]) { $1 }) == .counter(1))
        #expect(value(metrics, "calls", ["patch": "com.example.shop.more", "version": "7"]) == .counter(3))
        guard case .histogram(let times) = value(metrics, "call_seconds", inF) else {
            Issue.record("no histogram")
            return
        }
        // The first call is measured.
        #expect(times.count == 1 && times.sum > 0 && times.sum < 60)
        #expect(times.buckets.count == CallStatistics.timeBounds.count + 1)
        #expect(times.buckets.last?.count == 1 && times.buckets.last?.bound == .infinity)
        #expect(times.buckets.map(\.count) == times.buckets.map(\.count).sorted())
        harness.runner.deactivateAll()
        #expect(harness.registry.metrics.isEmpty)
    }

    /// The same patch may be active through two runners.
    @Test func eachSeriesIsThereOnce() throws {
        let (harness, function) = try harness()
        let other = PatchRunner(registry: harness.registry, host: harness.runner.host, limits: .patient)
        try other.activate(
            try other.load(
                try Harness.verified(
                    "patch.replace('T.f', function(original, x) return original(x) end)", replaces: ["T.f"])))
        for x in 3...5 { #expect(function(x) == x) }
        let series = harness.registry.metrics.map { "\($0.name) \($0.labels)" }
        #expect(Set(series).count == series.count)
        let fix = ["patch": "com.example.shop.fix", "version": "1", "function": "T.f"]
        #expect(value(harness.registry.metrics, "calls", fix) == .counter(6))
        withExtendedLifetime(other) {}
    }

    @Test func fallbacksHaveTheirReasonsAndWaitingCallsAreCounted() async throws {
        let harness = try Harness()
        let call = try CallWithinCall(in: harness.registry)
        try harness.apply("patch.replace('T.slow', function(original, x) return original(x) end)")
        let task = try await call.begin(1)
        #expect(value(harness.registry.metrics, "waiting_calls") == .gauge(1))
        // Its original ends within another function's original, which lets it continue.
        #expect(call.outer(5) == 5)
        #expect(await task.value == 1)
        #expect(value(harness.registry.metrics, "waiting_calls") == .gauge(0))
        harness.runner.deactivateAll()

        let second = try Harness(limits: .oneInstance.with(\.lockTime, .milliseconds(10)))
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow = try second.registry.replaceable("T.f") { (x: Int) -> Int in
            if x == 1 {
                isIn.signal()
                mayLeave.wait()
            }
            return x
        }
        try second.apply("patch.replace('T.f', function(original, x) return original(x) end)", replaces: ["T.f"])
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = slow(1)
            done.signal()
        }
        isIn.wait()
        #expect(slow(2) == 2)
        #expect(slow(3) == 3)
        mayLeave.signal()
        done.wait()
        #expect(value(second.registry.metrics, "fallbacks", ["reason": "busy"]) == .counter(2))
        #expect(value(second.registry.metrics, "fallbacks", ["reason": "failed"]) == .counter(0))
    }

    @Test(.needs("python3-prometheus-client", "/usr/lib/python3/dist-packages/prometheus_client"))
    func prometheusReadsTheText() throws {
        let (harness, function) = try harness()
        for x in 1...200 { _ = function(x) }
        let metrics = harness.registry.metrics
        let folder = try TestFolder()
        try folder.write(PatchMetric.openMetrics(metrics), to: "metrics")
        try folder.write(PatchMetric.openMetrics([]), to: "none")
        let run = try Tool.shell(
            """
            /usr/bin/python3 - <<'END'
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
            assert list(parse(open("none").read())) == []
            families = {family.name: family for family in parse(open("metrics", newline="").read())}
            for name, family in families.items():
                assert family.documentation.endswith("."), name
                for s in family.samples:
                    labels = " ".join(f"{k}={v}" for k, v in sorted(s.labels.items()))
                    if s.name.endswith(("_total", "_count")) or family.type == "gauge":
                        print(f"{family.type} {s.name} {labels} {int(s.value)}")
            assert families["patchpack_call_seconds"].type == "histogram"
            assert [s.labels["le"] for s in families["patchpack_call_seconds"].samples if "le" in s.labels][:2] == ["0.0001", "0.001"]
            END
            """, in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        let expected = metrics.map { metric in
            let labels = metric.labels.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }.joined(
                separator: " ")
            switch metric.value {
            case .counter(let value): return "counter \(metric.name)_total \(labels) \(value)"
            case .gauge(let value): return "gauge \(metric.name) \(labels) \(value)"
            case .histogram(let histogram): return "histogram \(metric.name)_count \(labels) \(histogram.count)"
            @unknown default: return ""
            }
        }
        #expect(run.lines.sorted() == expected.sorted())
        #expect(expected.count == 20)
    }
}
