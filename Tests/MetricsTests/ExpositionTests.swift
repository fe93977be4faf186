import TestSupport
import Testing
import WaypostCore

@Suite("The exposition")
struct ExpositionTests {
    @Test("Recorded values are written in the form that Prometheus reads")
    func everyKind() throws {
        let counter = Counter()
        let gauge = Gauge()
        let histogram = Histogram(Buckets(microseconds: [100, 1000]))
        counter.increment(by: 3)
        gauge.add(5)
        gauge.subtract(7)
        for microseconds in [50, 100, 101, 5000] { histogram.record(.microseconds(microseconds)) }
        let text = try PrometheusText(
            Exposition.text(of: [
                .counter("a_total", "Things.", counter),
                .counters(
                    "b_total", "By kind.", label: "kind", [("x", counter), ("y", Counter())]),
                .gauge("c", "Now.", gauge),
                .gauge("d", "Not known.") { nil },
                .information("e_info", "Labels.", [("version", "1")]),
                .histogram("f_seconds", "Times.", histogram),
            ]))
        #expect(
            text.families.map(\.kind) == [
                "counter", "counter", "gauge", "gauge", "gauge", "histogram",
            ])
        #expect(text.value("a_total") == 3)
        #expect(text.value("b_total", ["kind": "x"]) == 3)
        #expect(text.value("b_total", ["kind": "y"]) == 0)
        #expect(text.value("c") == -2)
        #expect(text.family("d")?.samples.isEmpty == true)
        #expect(text.value("e_info", ["version": "1"]) == 1)
        #expect(text.value("f_seconds_bucket", ["le": "0.0001"]) == 2)
        #expect(text.value("f_seconds_bucket", ["le": "0.001"]) == 3)
        #expect(text.value("f_seconds_bucket", ["le": "+Inf"]) == 4)
        #expect(text.value("f_seconds_count") == 4)
        #expect(text.value("f_seconds_sum") == 0.005251)
    }

    @Test("Labels and help may hold what the format uses itself")
    func escapes() {
        let text = Exposition.text(of: [
            .information("a", "one\nback\\slash \"quoted\"", [("l", "\"\\\r\n")])
        ])
        #expect(
            text == """
                # HELP a one\\nback\\\\slash "quoted"
                # TYPE a gauge
                a{l="\\"\\\\\r\\n"} 1

                """)
    }
}
