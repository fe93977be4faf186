import HTTPCore
import Synchronization

/// One client's stream of the changes of a session.
final class ChangeStream: StreamSource {
    /// The position after which a client wants the changes.
    enum Start {
        /// The client sent no cursor, and wants the current state and the changes after it.
        case now
        case after(ChangeCursor)
        /// The client sent a `Last-Event-ID` that is not a cursor.
        case unknown
    }

    let start: Start
    let timeLimit: Duration?
    /// The number of messages after which the stream ends; nil for no limit.
    let messageLimit: Int?
    /// The time that the client waits before it reconnects after the end of the stream, in
    /// milliseconds.
    let retry: Int
    /// The further token that opened the stream. Nil for a stream that was opened with the
    /// session's first token, which is valid as long as the session exists.
    let token: DeviceToken?
    private let feed: ChangeFeed
    private let feeds: ChangeFeeds
    private let isReleased = Atomic(false)

    init(
        _ start: Start, of feed: ChangeFeed, in feeds: ChangeFeeds, timeLimit: Duration?,
        messageLimit: Int?, retry: Int, token: DeviceToken?
    ) {
        self.start = start
        self.feed = feed
        self.feeds = feeds
        self.timeLimit = timeLimit
        self.messageLimit = messageLimit
        self.retry = retry
        self.token = token
    }

    // `ended` is not called if the client leaves before `begin`.
    deinit { release() }

    func begin(_ stream: any OutgoingStream) { feed.begin(self, stream) }

    func canSend(_ stream: any OutgoingStream) { feed.canSend(self) }

    func heartbeat(_ stream: any OutgoingStream) {
        _ = stream.send(ChangeMessages.heartbeat)
        feed.checkSession()
        feed.checkToken(of: self)
    }

    func ended(_ end: StreamEnd) {
        feed.remove(self, end)
        release()
    }

    /// Stops counting the stream towards the limits on streams. Later calls have no effect.
    private func release() {
        if !isReleased.exchange(true, ordering: .relaxed) { feeds.release(feed, with: token) }
    }
}

/// A further token of a session (`SessionToken`), which was made for another device.
struct DeviceToken: Sendable {
    /// The normalized username of the account whose credential has made the token.
    let account: String
    let isValid: @Sendable () async -> Bool
}
