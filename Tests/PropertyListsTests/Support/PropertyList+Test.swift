import Foundation
import JSON
import WaypostCore

@testable import AppDefinition

extension PropertyList {
    init(text: String, admittingJSON: JSONParser? = .jansson) throws {
        try self.init(bytes: Array(text.utf8), admittingJSON: admittingJSON)
    }
}

/// Returns the reason why `bytes` cannot be read; nil if they can.
func reason(against bytes: [UInt8], admittingJSON: JSONParser? = .jansson) -> String? {
    do {
        _ = try PropertyList(bytes: bytes, admittingJSON: admittingJSON)
        return nil
    } catch {
        return error.reason
    }
}

func reason(against text: String, admittingJSON: JSONParser? = .jansson) -> String? {
    reason(against: Array(text.utf8), admittingJSON: admittingJSON)
}
