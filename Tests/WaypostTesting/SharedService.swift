import SessionStoreTesting
import Synchronization

/// A service that all tests of a suite share. Each kind of store has one, created on first use.
package final class SharedService: Sendable {
    private let make: @Sendable () throws -> TestService
    private let services = Mutex<[StoreKind: TestService]>([:])

    package init(_ make: @escaping @Sendable () throws -> TestService) {
        self.make = make
    }

    /// Returns the service with a store of the current kind.
    package func get() throws -> TestService {
        try services.withLock { services in
            if let service = services[.current] { return service }
            let service = try make()
            services[.current] = service
            return service
        }
    }
}
