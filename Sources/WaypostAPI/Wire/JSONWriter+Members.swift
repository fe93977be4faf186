import Accounts
import JSON
import Sessions

extension JSONWriter {
    mutating func member(_ name: StaticString, _ id: SessionID) {
        self.name(name)
        string(ofASCII: SessionID.length) { id.write(into: $0) }
    }

    mutating func member(_ name: StaticString, _ time: Timestamp) {
        guard time.isInForm else { return member(name, time.description) }
        self.name(name)
        string(ofASCII: Timestamp.length) { time.write(into: $0) }
    }
}
