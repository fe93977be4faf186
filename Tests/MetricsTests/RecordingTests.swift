import Testing
import WaypostCore

@Suite("Recording")
struct RecordingTests {
    @Test("No value is lost when many threads record at once")
    func concurrent() async {
        let (tasks, times) = (8, 20_000)
        let counter = Counter()
        let gauge = Gauge()
        let histograms = (0..<4).map { _ in Histogram(Buckets(counts: [0, 1, 2])) }
        await withTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    for number in 0..<times {
                        counter.increment()
                        gauge.add(2)
                        gauge.subtract()
                        histograms[number % 4].record(.nanoseconds(number % 5))
                    }
                }
            }
        }
        #expect(counter.value == tasks * times)
        #expect(gauge.value == tasks * times)
        #expect(histograms.map(\.count) == [Int](repeating: tasks * times / 4, count: 4))
    }
}
