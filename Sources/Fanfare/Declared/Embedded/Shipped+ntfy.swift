// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/ntfy.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let ntfy = ShippedProvider(
        "ntfy",
        #"""
        {
          "fanfare_provider": 1,
          "name": "ntfy",
          "about": "ntfy, at ntfy.sh or on a server of one's own; the token of a row is its topic",
          "sources": ["binwiederhier/ntfy: server/errors.go, server/config.go (of 2025-07)"],
          "notes": [
            "A server that asks for no access token has \"auth\": {\"kind\": \"none\"}, and no setting token.",
            "Without TLS a server speaks HTTP/1.1 only.",
            "What the codes of a 429 mean was taken from memory.",
            "By default a visitor may send 60 messages at once, and one in five seconds from then on."
          ],
          "tried": false,
          "settings": {
            "url": {"default": "https://ntfy.sh", "about": "the server"},
            "token": {"secret": true, "about": "an access token"}
          },
          "origin": "${set:url}",
          "auth": {"kind": "header", "name": "authorization", "value": "Bearer ${secret:token}"},
          "request": {
            "method": "POST",
            "path": "/",
            "encoding": "json",
            "max_body": 4096,
            "body": {
              "topic": "${row:token}",
              "title": "${row:title?}",
              "message": "${row:body}",
              "attach": "${row:image?}",
              "click": "${row:link?}",
              "priority": "${row:priority:json?}"
            }
          },
          "token": {"shape": "[-_A-Za-z0-9]{1,64}"},
          "priority": {"high": 4, "normal": 3},
          "answer": {
            "id": "/id",
            "rules": [
              {"status": 200, "outcome": "accepted"},
              {"at": "/code", "is": [50701], "outcome": "unregistered", "reason": "/error"},
              {"at": "/code", "is": [42905, 42908], "outcome": "throttled", "job": "stop", "reason": "/error"},
              {"status": 429, "outcome": "throttled", "retry": "later", "reason": "/error"},
              {"at": "/code", "is": [40101], "outcome": "failed", "job": "stop", "reason": "/error"},
              {"at": "/code", "is": [40009, 40010, 40301], "outcome": "rejected", "reason": "/error"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/error"}
          },
          "examples": [
            {
              "rows": [{"token": "doors", "title": "Doors open", "body": "at eight"}],
              "settings": {"token": "tk_secret"},
              "request": {
                "url": "https://ntfy.sh/",
                "headers": {"content-type": "application/json", "authorization": "Bearer tk_secret"},
                "body": {"topic": "doors", "title": "Doors open", "message": "at eight"}
              },
              "answers": [
                {"status": 200, "body": {"id": "m1", "time": 1735000000, "event": "message", "topic": "doors"},
                 "outcomes": [{"outcome": "accepted", "id": "m1"}]},
                {"status": 507, "body": {"code": 50701, "http": 507, "error": "no subscriber"},
                 "outcomes": [{"outcome": "unregistered", "reason": "no subscriber"}]},
                {"status": 429, "body": {"code": 42901, "http": 429, "error": "slower"},
                 "outcomes": [{"outcome": "throttled", "retry": "later"}]},
                {"status": 429, "body": {"code": 42908, "http": 429, "error": "daily"},
                 "outcomes": [{"outcome": "throttled", "job": "stop"}]},
                {"status": 401, "body": {"code": 40101, "http": 401, "error": "unauthorized"},
                 "outcomes": [{"outcome": "failed", "job": "stop"}]},
                {"status": 403, "body": {"code": 40301, "http": 403, "error": "forbidden"}, "outcomes": ["rejected"]},
                {"status": 403, "body": "<html>Access denied</html>",
                 "outcomes": [{"outcome": "failed", "retry": "later", "job": "stop-at-start"}]},
                {"status": 500, "outcomes": ["unknown"]}
              ]
            },
            {
              "rows": [{"token": "two words", "title": "t", "body": "b"}],
              "settings": {"token": "tk_secret"},
              "problem": "token has characters that no token has"
            },
            {
              "rows": [{"token": "doors", "body": "at eight", "image": "https://example.org/a.jpg", "link": "https://example.org", "priority": 4}],
              "settings": {"token": "tk_secret"},
              "request": {
                "url": "https://ntfy.sh/",
                "headers": {"content-type": "application/json", "authorization": "Bearer tk_secret"},
                "body": {
                  "topic": "doors", "message": "at eight", "attach": "https://example.org/a.jpg",
                  "click": "https://example.org", "priority": 4
                }
              }
            }
          ]
        }

        """#)
}
