import Sessions
import Testing

/// Tests of the bursts of refused log-ins that the log tells.
@Suite struct LogInBurstsTests {
    @Test("A burst has a start and an end, with the number of its refused log-ins")
    func burst() {
        var bursts = LogInBursts()
        let changes = [0, 10, 25, 26, 26, 26].map { bursts.note(total: $0) }
        #expect(changes == [nil, .began(refused: 10), nil, nil, .ended(refused: 26), nil])
    }

    @Test("Nine refused log-ins in each interval are no burst") func fewRefusals() {
        var bursts = LogInBursts()
        #expect(stride(from: 0, through: 900, by: 9).allSatisfy { bursts.note(total: $0) == nil })
        #expect(bursts.end() == nil)
    }

    @Test("A burst that goes on at the stop ends with it, and a second burst counts anew")
    func stop() {
        var bursts = LogInBursts()
        #expect(bursts.note(total: 12) == .began(refused: 12))
        #expect(bursts.end() == .ended(refused: 12))
        #expect(bursts.note(total: 23) == .began(refused: 11))
        #expect(bursts.end() == .ended(refused: 11))
        #expect(bursts.end() == nil)
    }
}
