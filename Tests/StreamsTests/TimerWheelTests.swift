import Testing

@testable import MicrohttpdServer

@Suite("The timer wheel of streams") struct TimerWheelTests {
    @Test("An entry is due at its tick and not before", arguments: [1, 2, 62, 63])
    func due(tick: Int) {
        var wheel = TimerWheel()
        wheel.add(7, due: tick)
        for now in 1..<tick { #expect(wheel.advance(to: now).isEmpty) }
        #expect(wheel.advance(to: tick) == [7])
        #expect(wheel.advance(to: tick + 200).isEmpty)
    }

    @Test("An entry further ahead than the wheel is due once within the wheel's size")
    func farAhead() {
        var wheel = TimerWheel()
        _ = wheel.advance(to: 1000)
        wheel.add(1, due: 100_000)
        let due = (1001...1064).flatMap { wheel.advance(to: $0) }
        #expect(due == [1])
    }

    @Test("A step over many ticks makes all entries due once")
    func longStep() {
        var wheel = TimerWheel()
        for tick in 1...63 { wheel.add(tick, due: tick) }
        #expect(wheel.advance(to: 1_000_000).sorted() == Array(1...63))
        wheel.add(5, due: 1_000_003)
        #expect(wheel.advance(to: 1_000_002).isEmpty)
        #expect(wheel.advance(to: 1_000_003) == [5])
    }

    @Test("An entry of the past is due at the next tick")
    func past() {
        var wheel = TimerWheel()
        _ = wheel.advance(to: 10)
        wheel.add(3, due: 4)
        #expect(wheel.advance(to: 11) == [3])
    }
}
