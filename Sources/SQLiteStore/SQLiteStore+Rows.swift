import Foundation
import Sessions

extension SessionID {
    var data: Data { Data(bytes) }
}
