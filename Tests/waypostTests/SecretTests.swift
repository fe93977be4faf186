import Foundation
import TestSupport
import Testing
import WaypostTesting

/// Tests that secrets of clients are in no log, error, metric or file of the store, in any
/// encoding.
@Suite(.timeLimit(.minutes(10))) struct SecretTests {
    /// The folder of the service. The test searches every file in `searched`; `secrets` has one
    /// secret on each line.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("searched"), withIntermediateDirectories: true)
    }

    /// Performs all operations with secrets, right and wrong. Successful responses contain secrets
    /// and are not kept.
    private static let script =
        "cd $FOLDER/searched\n" + Script.serve + #"""
            secret() { printf -v $1 %s "$2"; printf '%s\n' "$2" >> ../secrets; }
            # Each that a user may think of, and each key that opens a kept answer.
            secret first first-Zq8xWvK2
            secret second second-Jm4tRb9Y
            secret third third-Hn6cLd3P
            secret guess guess-Vf5sXg7T
            secret short Qz9xW7
            for name in open up in change remove revoke token; do secret key_$name key-$name-Tk2wMn8DvQ4rLx7Z; done

            bearer() { echo "Authorization: Bearer $1"; }
            call() { curl --silent "$url$1" "${@:2}"; }
            # What goes wrong is kept, with its header.
            wrong() { call "$@" --include >> answers; echo >> answers; }
            entry() { echo "{\"username\": \"$1\", \"password\": \"$2\"}"; }
            open() {
              answer=$(call /v1/sessions -X POST "$@")
              path=/v1/sessions/$(jq -r .id <<< "$answer")
              secret token $(jq -r .token <<< "$answer")
            }
            enter() { secret credential $(call $path/$1 -H "$(bearer $token)" "${@:2}" |
              jq -r .credential); }

            serve
            open -H "Idempotency-Key: $key_open"
            enter sign-up --json "$(entry grepped-user $first)" -H "Idempotency-Key: $key_up"
            old=$credential
            wrong $path/sign-up -H "$(bearer $token)" --json "$(entry grepped-user $second)"
            open
            for password in $guess $short; do
              wrong $path/log-in -H "$(bearer $token)" --json "$(entry grepped-user $password)"
              wrong $path/log-in -H "$(bearer $token)" --json "$(entry nobody $password)"
              wrong $path/sign-up -H "$(bearer $token)" --json "$(entry $password $password)"
            done
            enter log-in --json "$(entry grepped-user $first)" -H "Idempotency-Key: $key_in"
            enter log-in --json "$(entry grepped-user $first)" -H "Idempotency-Key: $key_in"
            open --json "{\"credential\": \"$credential\"}"

            # Bodies that are none, or hold a secret where none belongs.
            # The requests with one secret go to one process, as arguments of `curl` in a file.
            quoted() { quoted=${1//\\/\\\\}; quoted=\"${quoted//\"/\\\"}\"; }
            later() {
              quoted "$url$1"
              [ ! -s ../later ] || echo next >> ../later
              printf '%s\n' silent include "url = $quoted" 'write-out = "\n"' >> ../later
              shift
              while [ $# -gt 0 ]; do
                quoted "$2"
                case $1 in
                  -X) echo "request = $quoted" ;;
                  -H) echo "header = $quoted" ;;
                  -d) echo "data = $quoted" ;;
                  --json) echo "json = $quoted" ;;
                  *) echo "no option of this script: $1" >&2; exit 9 ;;
                esac >> ../later
                shift 2
              done
            }
            for secret in $first $guess $short $token $credential; do
              : > ../later
              for body in "$secret" "{$secret" "{\"password\": $secret}" "{\"password\": '$secret'}" \
                "{\"password\": \"$secret}" "{\"password\": \"$secret\"" "\"$secret\"" \
                "{\"password\": \"$secret\x\"}" "{\"password\": \"\u$secret\"}" "[\"$secret\"]" \
                "{\"username\": \"$secret\", \"password\": [\"$secret\"]}" \
                "{\"username\": \"a\", \"password\": \"$secret\", \"password\": \"$secret\"}" \
                "{\"credential\": [\"$secret\"]}" "{\"lifecycle\": \"$secret\"}" \
                "{\"oldPassword\": \"$secret\"}" "{\"password\": \"$secret\"} $secret"; do
                for route in sign-up log-in; do
                  later $path/$route -H "$(bearer $token)" --json "$body"
                done
                later /v1/sessions --json "$body"
                later /v1/account/password -X PUT -H "$(bearer $credential)" --json "$body"
                later /v1/account/delete -H "$(bearer $credential)" --json "$body"
              done
              later $path/log-in -H "$(bearer $token)" -H 'Content-Type: text/plain' -d "$secret"
              # Tokens where none belongs.
              for header in "$(bearer $secret)" "$(bearer "$secret x")" "Authorization: $secret" \
                "Authorization: Basic $secret" "Idempotency-Key: $secret $secret" \
                "If-Match: $secret" "Expect: $secret"; do
                later $path/pop -X POST -H "$header" -H "$(bearer $secret)"
                later /v1/account -H "$header"
              done
              later /v1/account/credentials/$secret -X DELETE -H "$(bearer $credential)"
              later "/v1/account?limit=$secret" -H "$(bearer $credential)"
              later "/v1/account/credentials?limit=$secret" -H "$(bearer $credential)"
              later "/v1/account/credentials?after=$secret" -H "$(bearer $credential)"
              later "/v1/account/sessions?after=$secret" -H "$(bearer $credential)"
              later /v1/account/sessions/$secret/tokens -H "$(bearer $credential)"
              later /v1/account${path#/v1}/tokens --json "[\"$secret\"]" -H "$(bearer $credential)"
              later /v1/account${path#/v1}/tokens/$secret -X DELETE -H "$(bearer $credential)"
              later $path -X PATCH -H "$(bearer $token)" --json "{\"name\": [\"$secret\"]}"
              curl --config ../later >> answers
              port=${url##*:}
              for request in "POST $path/log-in HTTP/1.1\r\n$secret\r\n\r\n" \
                "POST $path/log-in HTTP/1.1\r\nHost: x\r\nContent-Length: $secret\r\n\r\n"; do
                exec 3<> /dev/tcp/127.0.0.1/$port
                printf "$request" >&3
                timeout 5 cat <&3 >> answers
                exec 3>&-
              done
            done

            # A further token of the session, which a log-in ends later.
            first_token=$token
            for i in 1 2; do
              made=$(call /v1/account${path#/v1}/tokens --json '{"name": "phone"}' \
                -H "$(bearer $credential)" -H "Idempotency-Key: $key_token")
            done
            secret token $(jq -r .token <<< "$made")
            wrong $path/pop -X POST -H "$(bearer $token)" --json '[]'
            wrong /v1/account -H "$(bearer $token)"
            token=$first_token

            # The account's routes.
            change="{\"oldPassword\": \"$first\", \"newPassword\": \"$second\"}"
            for i in 1 2; do
              call /v1/account/password -X PUT -H "$(bearer $credential)" --json "$change" \
                -H "Idempotency-Key: $key_change"
            done
            wrong /v1/account/password -X PUT -H "$(bearer $credential)" --json "$change"
            wrong /v1/account/password -X PUT -H "$(bearer $credential)" \
              --json "{\"oldPassword\": \"$second\", \"newPassword\": \"$short\"}"
            wrong /v1/account -H "$(bearer $old)"
            id=$(call /v1/account/credentials -H "$(bearer $credential)" |
              jq -r '.items[0].id')
            call /v1/account/credentials/$id -X DELETE -H "$(bearer $credential)" \
              -H "Idempotency-Key: $key_revoke"
            wrong /v1/account -H "$(bearer $credential)"
            open --json "{\"credential\": \"$credential\"}"

            # The operator's commands.
            for command in "add grepped-user" "add ab" "reset-password grepped-user"; do
              for password in $third $short; do
                echo $password | \#(Shell.waypost) account $command --store $store >> commands 2>&1
              done
            done
            \#(Shell.waypost) account list --store $store >> commands 2>&1
            \#(Shell.waypost) store check --store $store >> commands 2>&1
            call /metrics > metrics
            call /readyz > ready
            mkdir running killed
            cp store.sqlite store.sqlite-wal running
            kill -9 $service; wait $service 2> /dev/null
            cp store.sqlite store.sqlite-wal killed

            # Another one, whose account is removed.
            serve
            open
            enter sign-up --json "$(entry removed-user $first)"
            for i in 1 2; do
              call /v1/account/delete -H "$(bearer $credential)" \
                --json "{\"password\": \"$first\"}" -H "Idempotency-Key: $key_remove"
            done
            \#(Shell.waypost) backup backup.sqlite --store $store >> commands 2>&1
            kill $service; wait $service
            echo "status $?"
            """#

    @Test("No log, error, metric or store file has a password, token, credential or key")
    func secrets() async throws {
        let result = try await Shell.run(Self.script, environment: ["FOLDER": folder.path])
        #expect(result.output == "status 0\n")
        #expect(result.errors.isEmpty)

        let secrets = Set(
            try String(contentsOf: folder.url.appending(path: "secrets"), encoding: .utf8)
                .split(separator: "\n").map(String.init))
        // The script has taken all steps: five passwords, seven keys, and the results of log-ins and
        // openings, and a further token.
        #expect(secrets.count { $0.hasPrefix("wps_") } == 6)
        #expect(secrets.count { $0.hasPrefix("wpc_") } == 3)
        #expect(secrets.count == 5 + 7 + 9)

        let files = try Self.files(in: folder.url.appending(path: "searched"))
        for name in ["store.sqlite", "killed/store.sqlite-wal", "answers", "serve.errors"] {
            #expect(files[name] != nil, "\(name)")
        }
        // The search finds what is stored, even in the write-ahead log of a killed store.
        for name in ["running/store.sqlite-wal", "killed/store.sqlite-wal", "backup.sqlite"] {
            #expect(
                Self.holds(Data("grepped-user".utf8), in: files[name] ?? Data()), "\(name)")
        }
        for secret in secrets {
            for needle in Self.spellings(of: secret) {
                for (name, content) in files where Self.holds(needle, in: content) {
                    Issue.record("\(secret) is in \(name)")
                }
            }
        }
        // The operations that had to fail have failed in the expected ways.
        let answers = String(decoding: files["answers"] ?? Data(), as: UTF8.self)
        #expect(answers.contains("HTTP/1.1 400"))
        #expect(answers.contains("HTTP/1.1 401"))
        #expect(answers.contains("HTTP/1.1 422"))
        #expect(!answers.contains("HTTP/1.1 500"))
        // For each of five secrets: five requests with each of 16 bodies, 24 others and two that are
        // not sent with curl.
        let count = answers.split(separator: "HTTP/1.1 ").count
        #expect(count > 530)
    }

    @Test(
        "The search for secrets finds them as text, Base64 and hexadecimal at any offset",
        arguments: ["first-Zq8xWvK2", "wps_" + String(repeating: "0f", count: 32)])
    func search(_ secret: String) {
        let needles = Self.spellings(of: secret)
        for before in ["", "a", "ab", "abc", "{\"token\": \""] {
            let text = Data("\(before)\(secret)\"}".utf8)
            let spelled = [
                text, Data(text.base64EncodedString().utf8),
                Data(text.map { String(format: "%02x", $0) }.joined().utf8),
                Data(text.map { String(format: "%02X", $0) }.joined().utf8),
            ]
            for spelling in spelled {
                #expect(needles.contains { Self.holds($0, in: spelling) })
            }
        }
    }

    /// Returns whether a file holds some bytes. `Data.firstRange` takes much longer in debug code.
    private static func holds(_ needle: Data, in content: Data) -> Bool {
        content.withUnsafeBytes { content in
            needle.withUnsafeBytes { needle in
                guard var rest = content.baseAddress, let bytes = needle.baseAddress else {
                    return false
                }
                let end = rest + content.count
                while let start = memchr(rest, Int32(needle[0]), end - rest),
                    end - UnsafeRawPointer(start) >= needle.count
                {
                    if memcmp(start, bytes, needle.count) == 0 { return true }
                    rest = UnsafeRawPointer(start) + 1
                }
                return false
            }
        }
    }

    private static func files(in folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.appending(path: name).path
            let type = try FileManager.default.attributesOfItem(atPath: path)[.type]
            guard type as? FileAttributeType == .typeRegular else { continue }
            files[name] = try Data(contentsOf: URL(filePath: path))
        }
        return files
    }

    /// Returns the encodings of a secret: plain, hexadecimal, and Base64 at any offset of a longer
    /// text. For a token, the digits alone and the bytes that they stand for are included.
    private static func spellings(of secret: String) -> [Data] {
        let bytes = Data(secret.utf8)
        var spellings = [bytes]
        for format in ["%02x", "%02X"] {
            spellings.append(Data(bytes.map { String(format: format, $0) }.joined().utf8))
        }
        for offset in 0..<3 {
            // A Base64 character has six bits. Characters that share bits with other bytes are left
            // out.
            let text = (Data(count: offset) + bytes).base64EncodedString()
            let whole = (offset + bytes.count) * 8 / 6
            spellings.append(Data(text.prefix(whole).dropFirst((offset * 8 + 5) / 6).utf8))
        }
        if secret.hasPrefix("wp") {
            let digits = secret.dropFirst(4)
            spellings.append(Data(digits.utf8))
            spellings.append(Data(digits.uppercased().utf8))
            let characters = Array(digits)
            spellings.append(
                Data(
                    stride(from: 0, to: characters.count, by: 2).compactMap {
                        UInt8(String(characters[$0...$0 + 1]), radix: 16)
                    }))
        }
        return spellings
    }
}
