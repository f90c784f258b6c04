// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/gotify.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let gotify = ShippedProvider(
        "gotify",
        #"""
        {
          "fanfare_provider": 1,
          "name": "gotify",
          "about": "Gotify, on a server of one's own; the token of a row is that of its application",
          "sources": ["gotify/server: api/message.go, model/error.go"],
          "notes": [
            "An application's token is both whom a message is for and who sends it, so a refusal is the row's.",
            "Without TLS a server speaks HTTP/1.1 only."
          ],
          "tried": false,
          "settings": {"url": {"about": "the server: https://gotify.example.org"}},
          "origin": "${set:url}",
          "auth": {"kind": "none"},
          "request": {
            "method": "POST",
            "path": "/message",
            "headers": {"x-gotify-key": "${row:token}"},
            "encoding": "json",
            "body": {
              "title": "${row:title?}",
              "message": "${row:body}",
              "priority": "${row:priority:json|5}",
              "extras": {
                "client::notification": {"click": {"url": "${row:link?}"}, "bigImageUrl": "${row:image?}"}
              }
            }
          },
          "priority": {"high": 8, "normal": 5},
          "answer": {
            "id": "/id",
            "rules": [
              {"status": 200, "outcome": "accepted"},
              {"status": [401, 403], "outcome": "suspect", "reason": "/errorDescription"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/errorDescription"}
          },
          "examples": [
            {
              "rows": [{"token": "AqPz-1", "title": "Doors open", "body": "at eight"}],
              "settings": {"url": "https://gotify.example.org"},
              "request": {
                "url": "https://gotify.example.org/message",
                "headers": {"content-type": "application/json", "x-gotify-key": "AqPz-1"},
                "body": {"title": "Doors open", "message": "at eight", "priority": 5}
              },
              "answers": [
                {"status": 200, "body": {"id": 25, "appid": 5, "message": "at eight"}, "outcomes": [{"outcome": "accepted", "id": "25"}]},
                {"status": 401, "body": {"error": "Unauthorized", "errorCode": 401, "errorDescription": "no such key"},
                 "outcomes": [{"outcome": "suspect", "reason": "no such key"}]},
                {"status": 400, "body": {"error": "Bad Request", "errorCode": 400, "errorDescription": "no message"},
                 "outcomes": [{"outcome": "rejected", "reason": "no message"}]},
                {"status": 500, "outcomes": ["unknown"]}
              ]
            },
            {
              "rows": [{"token": "AqPz-1", "title": "Doors open", "body": "at eight", "priority": 8}],
              "settings": {"url": "https://gotify.example.org:8443/"},
              "request": {
                "url": "https://gotify.example.org:8443/message",
                "headers": {"content-type": "application/json", "x-gotify-key": "AqPz-1"},
                "body": {"title": "Doors open", "message": "at eight", "priority": 8}
              }
            },
            {
              "rows": [{"token": "AqPz-1", "body": "at eight", "link": "app://doors"}],
              "settings": {"url": "https://gotify.example.org"},
              "request": {
                "url": "https://gotify.example.org/message",
                "headers": {"content-type": "application/json", "x-gotify-key": "AqPz-1"},
                "body": {
                  "message": "at eight", "priority": 5,
                  "extras": {"client::notification": {"click": {"url": "app://doors"}}}
                }
              }
            }
          ]
        }

        """#)
}
