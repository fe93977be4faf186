import Foundation

@testable import PropertyLists

extension PropertyList {
    init(text: String, admittingJSON: Bool = true) throws {
        try self.init(bytes: Array(text.utf8), admittingJSON: admittingJSON)
    }
}

/// Returns the reason why `bytes` cannot be read; nil if they can.
func reason(against bytes: [UInt8], admittingJSON: Bool = true) -> String? {
    do {
        _ = try PropertyList(bytes: bytes, admittingJSON: admittingJSON)
        return nil
    } catch {
        return error.reason
    }
}

func reason(against text: String, admittingJSON: Bool = true) -> String? {
    reason(against: Array(text.utf8), admittingJSON: admittingJSON)
}
