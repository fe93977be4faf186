import Foundation
import Hummingbird
import Logging
import NIOCore

/// The same work on Hummingbird: an actor per session, push and pop, JSON by Codable.
@main
struct Server {
    static func main() async throws {
        let sessions = Sessions()
        let router = Router()
        router.post("v1/sessions") { _, _ in
            let opened = await sessions.open()
            return edited(opened, revision: opened.session.revision, status: .created)
        }
        router.get("v1/sessions/:id") { request, context in
            let session = try sessions.session(context.parameters.require("id"), request)
            let description = await session.description
            return edited(description, revision: description.revision)
        }
        router.post("v1/sessions/:id/push") { request, context in
            let session = try sessions.session(context.parameters.require("id"), request)
            let body = try await request.decode(as: PushBody.self, context: context)
            let change = try await session.push(body.scene, animated: body.animated ?? true)
            return edited(change, revision: change.session.revision)
        }
        router.post("v1/sessions/:id/pop") { request, context in
            let session = try sessions.session(context.parameters.require("id"), request)
            let body = try await request.decode(as: PopBody.self, context: context)
            let change = await session.pop(animated: body.animated ?? true)
            return edited(change, revision: change.session.revision)
        }
        var logger = Logger(label: "peer")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Not print: it would keep the line in its buffer.
                let line = "serves at http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            },
            logger: logger)
        try await application.runService()
    }

    private static func edited<Answer: ResponseEncodable>(
        _ answer: Answer, revision: Int, status: HTTPResponse.Status = .ok
    ) -> EditedResponse<Answer> {
        EditedResponse(
            status: status,
            headers: [.eTag: "\"\(revision)\"", .cacheControl: "no-store"], response: answer)
    }
}

private struct PushBody: Decodable {
    let scene: String
    let animated: Bool?
}

private struct PopBody: Decodable {
    let animated: Bool?
}
