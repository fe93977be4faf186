/// Links, and what they open. The cases come from the tests of other libraries (React Navigation,
/// Hotwire Native), from RFC 3986 and from Apple's documentation.
///
/// A line that is not indented describes an app: its scenes, each with its patterns, its parameters
/// in parentheses, its parent after `<` and its presentation after `^`. The app starts with the
/// scene `Home`, which has no path. After `;` come the hosts, the schemes and the scene for unknown
/// links. In all texts, `_` stands for a space.
///
/// An indented line has a link (a URL if it starts with `url `) and, after `=>`, what it opens in a
/// new session: the stack, the parameters of the visible view controller and the link of the
/// session (`-` for null); or the code of the refusal.
enum LinkCases {
    static let text = """
        Foo /foo | Bar /foo/bar/{id} (id) < Foo
          /foo => Foo {} /foo
          foo => Foo {} /foo
          /foo/ => Foo {} /foo
          //foo => Foo {} /foo
          /foo//bar///5 => Foo Bar {id: 5} /foo/bar/5
          /foo/?a=1 => Foo {} /foo
          /foo?utm_source=mail => Foo {} /foo
          /foo#part => Foo {} /foo
          /foo#top?q=a => Foo {} /foo
          /./foo => Foo {} /foo
          /x/../foo => Foo {} /foo
          /../foo => Foo {} /foo
          /x//../foo => link-not-found
          /x/%2E%2E/foo => Foo {} /foo
          /x/.%2e/foo/. => Foo {} /foo
          /foo/bar/1/2 => link-not-found
          /foo/bar => link-not-found
          /nowhere => link-not-found
          / => link-not-found
          /Foo => link-not-found
          /foo/bar/%252E%252E => Foo Bar {id: %2E%2E} /foo/bar/%252E%252E
          url https://example.com/foo => foreign-link
          url foo => malformed-link
          url /foo => malformed-link
          https://example.com/foo => link-not-found
        Foo /foo/{id} (id) | Deep /foo/{id}/{n} (id n)
          /foo/5 => Foo {id: 5} /foo/5
          /foo/5/ => Foo {id: 5} /foo/5
          /foo/bar%20baz => Foo {id: bar_baz} /foo/bar%20baz
          /foo/a%2Fb => Foo {id: a/b} /foo/a%2Fb
          /foo/a%26b%3Dc => Foo {id: a&b=c} /foo/a&b=c
          /foo/a%3Fb%23c => Foo {id: a?b#c} /foo/a%3Fb%23c
          /foo/a%7Eb%2Dc => Foo {id: a~b-c} /foo/a~b-c
          /foo/caf%c3%a9 => Foo {id: café} /foo/caf%C3%A9
          /foo/a+b => Foo {id: a+b} /foo/a+b
          /foo/%25%32%45 => Foo {id: %2E} /foo/%252E
          /%E0%A4%A => malformed-link
          /foo/%E0%A4%A => malformed-link
          /foo/%E0%A4%A/.. => malformed-link
          /foo/%ff => malformed-link
          /foo/%c0%af => malformed-link
          /foo/%ed%a0%80 => malformed-link
          /foo/% => malformed-link
          /foo/%%35 => malformed-link
          /foo/5?q=%zz => malformed-link
          /foo/%00 => malformed-link
          /foo/5?q=%00 => malformed-link
        Foo /foo/{id} (id) | Bar /bar/{id} (id) | Dynamic /{section}/{id} (section id) | Missing - (path?) ; notFound=Missing
          /bar/42 => Bar {id: 42} /bar/42
          /baz/42 => Dynamic {section: baz, id: 42} /baz/42
          /foo/42/extra => Missing {path: /foo/42/extra} -
          /foo/%E0%A4%A => Missing {path: /foo/%E0%A4%A} -
          /foo/%00 => malformed-link
          url https://example.com/foo/42 => foreign-link
        A - | B /b < A | C /b/c < B
          /b => A B {} /b
          /b/c => A B C {} /b/c
        Start / (foo?)
          / => Start {} /
          url x: => foreign-link
          /?foo=42 => Start {foo: 42} /?foo=42
          ?foo=42 => Start {foo: 42} /?foo=42
        Bis /foos/{id} (id) | Bas /{id}/{pwd}/foos/res (id pwd) | Bus /foos/{id}/{pwd}/res (id pwd)
          /foos/5 => Bis {id: 5} /foos/5
          /5/20/foos/res => Bas {id: 5, pwd: 20} /5/20/foos/res
          /foos/5/20/res => Bus {id: 5, pwd: 20} /foos/5/20/res
          /foos/20/foos/res => Bus {id: 20, pwd: foos} /foos/20/foos/res
          /foos/5/6 => link-not-found
        Bis /foo/{id} (id) | Bas /foos/{id}/{nip?}/{pwd?} (id nip? pwd?)
          /foos/5 => Bas {id: 5} /foos/5
          /foos/5/10 => Bas {id: 5, nip: 10} /foos/5/10
          /foos/5/10/15 => Bas {id: 5, nip: 10, pwd: 15} /foos/5/10/15
          /foos/5?nip=10 => Bas {id: 5} /foos/5
          /foos/5/10/15/20 => link-not-found
          /foos => link-not-found
        Near /foo/{rest+} (rest) | Far /{rest+} (rest) | Start /
          / => Start {} /
          /foo => Far {rest: foo} /foo
          /foo/a/b => Near {rest: a/b} /foo/a/b
          /bar/a => Far {rest: bar/a} /bar/a
          /bar/a%2F/b => Far {rest: bar/a//b} -
        Foo /foo/{id} (id query?)
          /foo/42 => Foo {id: 42} /foo/42
          /foo/42?id=7&query=test => Foo {id: 42, query: test} /foo/42?query=test
          /foo/42?query=a&query=b => Foo {id: 42, query: a} /foo/42?query=a
          /foo/42?query => Foo {id: 42, query: } /foo/42?query=
          /foo/42?query= => Foo {id: 42, query: } /foo/42?query=
          /foo/42?&&query=x&&? => Foo {id: 42, query: x} /foo/42?query=x
          /foo/42?query=a%26b%3Dc => Foo {id: 42, query: a&b=c} /foo/42?query=a%26b%3Dc
          /foo/42?query=x?y=1 => Foo {id: 42, query: x?y=1} /foo/42?query=x%3Fy%3D1
          /foo/42?query=a+b => Foo {id: 42, query: a+b} /foo/42?query=a%2Bb
          /foo/42?query=a%20b => Foo {id: 42, query: a_b} /foo/42?query=a%20b
          /foo/42?%71uery=a => Foo {id: 42, query: a} /foo/42?query=a
          /foo/42?Query=a => Foo {id: 42} /foo/42
        Foo /foo/{id} (id query) | Bar /foo/{slug} (slug)
          /foo/42 => Bar {slug: 42} /foo/42
          /foo/42?query=ok => Foo {id: 42, query: ok} /foo/42?query=ok
          /foo/42?query => Foo {id: 42, query: } /foo/42?query=
        Foo /foo (query)
          /foo => link-not-found
          /foo?query=1 => Foo {query: 1} /foo?query=1
        Foo /café/foo | Bar /foo_bar
          /foo%20bar => Bar {} /foo%20bar
          /f%6Fo%20bar => Bar {} /foo%20bar
          /café/foo => Foo {} /caf%C3%A9/foo
          /caf%C3%A9/foo => Foo {} /caf%C3%A9/foo
          /c%61f%C3%A9/foo => Foo {} /caf%C3%A9/foo
          /other/foo => link-not-found
        Foo /foo | Baz /foo/baz/{id?},/second/{id},/foo/third (id?) < Foo
          /foo/baz => Foo Baz {} /foo/baz
          /second/7 => Foo Baz {id: 7} /foo/baz/7
          /foo/third => Foo Baz {} /foo/baz
          /foo/third?id=8 => Foo Baz {id: 8} /foo/baz/8
          /second => link-not-found
        Repeated /files/{parts+} (parts) | Scalar /files/{part} (part)
          /files/a => Scalar {part: a} /files/a
          /files/a/b => Repeated {parts: a/b} /files/a/b
          /files/a%2Fb => Scalar {part: a/b} /files/a%2Fb
          /files => link-not-found
        Files /{parts*} (parts? q?)
          / => Files {} /
          /?q=1 => Files {q: 1} /?q=1
          /a/b?q=1 => Files {parts: a/b, q: 1} /a/b?q=1
        Exact /a | Repeated /a/{parts*} (parts?) | Other /b
          /a => Exact {} /a
          /a/b => Repeated {parts: b} /a/b
        Other /b | Repeated /a/{parts*} (parts?) | Exact /a
          /a => Exact {} /a
        Plus /a/{x+} (x) | Star /a/{y*} (y?)
          /a => Star {} /a
          /a/b => Plus {x: b} /a/b
        Foo /foo | Bar /foo/bar < Foo | Sheet /foo/sheet < Foo ^ pageSheet
          /foo/sheet => Sheet {} /foo/sheet
        New /new | Edit /edit,/edit/{id} (id?) | Start /
          /edit => Edit {} /edit
          /edit/1 => Edit {id: 1} /edit?id=1
          /edit?id=1 => Edit {id: 1} /edit?id=1
          /missing => link-not-found
        Pdf /sample.pdf | External /sample.pdf (open_in_browser)
          /sample.pdf?open_in_browser=true => External {open_in_browser: true} /sample.pdf?open_in_browser=true
          /sample.pdf => Pdf {} /sample.pdf
        Item /{kind}/{n} (kind n) | New /{kind}/new (kind) | Books /books/{n} (n)
          /books/new => Books {n: new} /books/new
          /pens/new => New {kind: pens} /pens/new
          /pens/7 => Item {kind: pens, n: 7} /pens/7
        Foo /foo | Some /some/path | Start / | Item /items/{id} (id q?) ; hosts=example.com,*.Example.org schemes=shop,my-app
          url https://example.com/some/path => Some {} /some/path
          url http://example.com/some/path => Some {} /some/path
          url HTTPS://EXAMPLE.com:443/foo => Foo {} /foo
          url http://example.com:80/foo => Foo {} /foo
          url https://example.com: => Start {} /
          url https://example.com => Start {} /
          url https://example.com?q=1 => Start {} /
          url https://example.com#top => Start {} /
          url https://ex%61mple%2Ecom/foo => Foo {} /foo
          url https://test.example.org/some/path => Some {} /some/path
          url https://a.b.EXAMPLE.org/foo => Foo {} /foo
          url shop://some/path => Some {} /some/path
          url shop:///some/path => Some {} /some/path
          url shop:some/path => Some {} /some/path
          url SHOP:/foo => Foo {} /foo
          url my-app: => Start {} /
          url https://example.com/items/5?q=a#top => Item {id: 5, q: a} /items/5?q=a
          url https://example.com/items/5#top?q=a => Item {id: 5} /items/5
          url https://example.com/SOME/path => link-not-found
          url https://example.com/%zz => malformed-link
          url https://example.com/%00 => malformed-link
          url http://example.com:443/foo => foreign-link
          url https://example.com:8443/foo => foreign-link
          url https://example.com:443:443/foo => foreign-link
          url https://example.org/foo => foreign-link
          url https://.example.org/foo => foreign-link
          url https://badexample.org/foo => foreign-link
          url https://example.com.evil.com/foo => foreign-link
          url https://example.com%2Fevil.com/foo => foreign-link
          url https://example.com%00.evil.com/foo => malformed-link
          url https://other.com/some/path => foreign-link
          url https://www.example.com/foo => foreign-link
          url https://example.com./foo => foreign-link
          url https://user@example.com/foo => foreign-link
          url https://example.com@other.com/foo => foreign-link
          url https://other.com\\@example.com/foo => foreign-link
          url https://example.com\\.other.com/foo => foreign-link
          url https://[::1]/foo => foreign-link
          url https:///foo => foreign-link
          url https:/example.com/foo => foreign-link
          url https:foo => foreign-link
          url other://some/path => foreign-link
          url javascript:foo => foreign-link
          url file:///foo => foreign-link
          url 1shop:foo => malformed-link
          url //example.com/foo => malformed-link
        """
}
