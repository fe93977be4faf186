import JSON
import NavigationRules
import Sessions
import Testing
import WaypostCore

@testable import SQLiteStore

/// The stored form of windows, which later versions have to read.
@Suite struct StoredWindowTests {
    private static let windows = [
        #"{"lifecycle":"forwarded","stack":[{"n":1,"s":"login","l":true}],"event":5,"vc":1}"#,
        #"{"lifecycle":"native","user":"ada","stack":[{"n":2,"s":"a","p":{"n":"1"},"c":{"title":null}}],"selected":0,"roots":[2,3],"kept":[{"n":3,"s":"b"}],"event":40,"vc":4}"#,
        #"{"lifecycle":"forwarded","stack":[{"n":7,"s":"a"}],"link":"/item/1?q=2","event":9,"vc":7}"#,
        #"{"lifecycle":"native","stack":[{"n":7,"s":"a"}],"nc":4,"lastNC":6,"event":9,"vc":7}"#,
        #"{"lifecycle":"native","strict":true,"stack":[],"layers":[{"tabs":"tabs","selected":1,"holders":[{"n":1,"stack":[{"n":1,"s":"a"}]},{"n":2,"bare":true,"stack":[{"n":2,"s":"b","c":{"tabTitle":"t","tabBadge":null}}]}]},{"style":"formSheet","by":2,"modal":true,"holders":[{"n":5,"stack":[{"n":6,"s":"b","l":true,"c":{"modal":true}}]}]}],"lastNC":5,"event":30,"vc":6}"#,
    ]

    @Test("A stored window is read and written again as the same bytes", arguments: windows)
    func roundTrip(_ stored: String) throws {
        let json = try JSONValue(parsing: Array(stored.utf8), maximumDepth: 16)
        let window = try #require(StoredWindow(json, revision: 3))
        #expect(window.revision == 3)
        var writer = JSONWriter()
        writer.window(window)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == stored)
    }

    @Test("A window that was stored with the segments of its pending link has the link")
    func linkSegments() throws {
        let stored =
            #"{"lifecycle":"forwarded","stack":[{"n":7,"s":"a"}],"link":"/item/a%2Fb","linkSegments":["item","a/b"],"event":9,"vc":7}"#
        let json = try JSONValue(parsing: Array(stored.utf8), maximumDepth: 16)
        #expect(StoredWindow(json, revision: 3)?.pending?.link == "/item/a%2Fb")
    }

    @Test("A window that was stored before there were layers has one navigation controller")
    func beforeLayers() throws {
        let json = try JSONValue(parsing: Array(Self.windows[0].utf8), maximumDepth: 16)
        let stored = try #require(StoredWindow(json, revision: 3))
        #expect(stored.layers == nil)
        #expect(!stored.isStrict)
        #expect(stored.navigationController == 1)
        #expect(stored.lastNavigationController == 1)
    }
}
