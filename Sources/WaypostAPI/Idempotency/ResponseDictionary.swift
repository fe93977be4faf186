/// A compression dictionary for `LZ4`: text that is common in responses to changes. With the
/// dictionary, LZ4 shrinks a response of 2 KB to a fifth.
///
/// The text must never change: stored responses that are compressed with it are kept for a day,
/// also across upgrades. A better dictionary must be added as a second one, and `KeptResponse` must
/// mark the responses that are compressed with it by another first byte.
let responseDictionary = Array(
    #"""
    {"status":201,"headers":[["Content-Type","application/json"],["Cache-Control","no-store"\#
    ],["ETag","\"1-"],["Location","/v1/sessions/"]]}{"status":200,"headers":[["Content-Type"\#
    ,"application/json"],["Cache-Control","no-store"],["ETag","\"2-00000000\""]]}"animated":\#
    false}"lifecycle":"native""auth":{"state":"loggedOut","username":null,"reason":"lifecycl\#
    e":"forwarded","window":{"root":"login"},"credential":"wpc_"token":"wps_"titleView":"seg\#
    mentedControl","backButton":null,"screen":{"kind":"form"}{"kind":"image","image":{"url":\#
    "/v1/catalog/authors/","mediaType":"image/png"},"lacksSession":true}{"changed":true,"tra\#
    nsition":"pop","popped":[{"id":"vc2","scene":"","title":"","parameters":{"":""},"isViewL\#
    oaded":true,"hidesBottomBarWhenPushed":false,"navigationItem":{"title":null,"backButtonT\#
    itle":null,"hidesBackButton":false,"leftItems":[],"leftItemsSupplementBackButton":false,\#
    "rightItems":[]}}],"events":[{"seq":1,"revision":2,"event":"willShow","viewController":"\#
    vc1","scene":"a","animated":true},{"seq":2,"revision":2,"event":"viewWillDisappear","vie\#
    wController":"vc2","scene":"b","animated":true},{"seq":3,"revision":2,"event":"viewWillA\#
    ppear","viewController":"vc1","scene":"a","animated":true},],"session":{"status":200,"he\#
    aders":[["Content-Type","application/json"],["Cache-Control","no-store"],["ETag","\"2-"]\#
    ]}\#n{"changed":false,"transition":"none","popped":[],"events":[],"session":{"id":"{"cha\#
    nged":true,"transition":"push","popped":[],"events":[{"seq":1,"revision":2,"event":"view\#
    DidLoad","viewController":"vc2","scene":"b","animated":true},{"seq":2,"revision":2,"even\#
    t":"willShow","viewController":"vc2","scene":"b","animated":true},{"seq":3,"revision":2,\#
    "event":"viewWillDisappear","viewController":"vc1","scene":"a","animated":true},{"seq":4\#
    ,"revision":2,"event":"viewWillAppear","viewController":"vc2","scene":"b","animated":tru\#
    e},{"seq":5,"revision":2,"event":"didShow","viewController":"vc2","scene":"b","animated"\#
    :true},{"seq":6,"revision":2,"event":"viewDidDisappear","viewController":"vc1","scene":"\#
    a","animated":true},{"seq":7,"revision":2,"event":"viewDidAppear","viewController":"vc2"\#
    ,"scene":"b","animated":true}],"session":{"id":"00000000000000000000000000000000","revis\#
    ion":2,"lifecycle":"forwarded","createdAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-\#
    01-31T00:00:00.000Z","auth":{"state":"loggedIn","username":""},"window":{"root":"app"},"\#
    viewControllers":[{"id":"vc1","scene":"","title":"","parameters":{},"isViewLoaded":true,\#
    "hidesBottomBarWhenPushed":false,"navigationItem":{"title":null,"backButtonTitle":null,"\#
    hidesBackButton":false,"leftItems":[],"leftItemsSupplementBackButton":false,"rightItems"\#
    :[]}},{"id":"vc2","scene":"","title":"","parameters":{"":""},"isViewLoaded":true,"hidesB\#
    ottomBarWhenPushed":false,"navigationItem":{"title":null,"backButtonTitle":null,"hidesBa\#
    ckButton":false,"leftItems":[],"leftItemsSupplementBackButton":false,"rightItems":[]}}],\#
    "navigationBar":{"title":"","titleView":null,"backButton":{"title":""},"leftItems":[],"r\#
    ightItems":[]},"segmentedControl":{"selectedIndex":0,"segments":[{"title":""},{"title":"\#
    "}]},"bottomBar":{"text":"","isHidden":false},"screen":{"kind":"table","numberOfSections\#
    ":1,"numberOfRows":[0]},"pendingLink":null}}
    """#.utf8)
