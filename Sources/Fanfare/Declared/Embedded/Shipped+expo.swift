// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/expo.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let expo = ShippedProvider(
        "expo",
        #"""
        {
          "fanfare_provider": 1,
          "name": "expo",
          "about": "Expo's push service",
          "sources": [
            "expo/expo-server-sdk-node: src/ExpoClient.ts",
            "https://docs.expo.dev/push-notifications/faq.md"
          ],
          "notes": [
            "Accepted is a ticket. What became of it is known a quarter of an hour later, as a receipt; the ticket's id is the message's id.",
            "A project that asks for no access token has \"auth\": {\"kind\": \"none\"}, and no setting.",
            "Tokens of two projects in one request are refused as a whole; the request is halved until they are apart.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {"token": {"secret": true, "about": "the access token of the account"}},
          "origin": "https://exp.host",
          "auth": {"kind": "header", "name": "authorization", "value": "Bearer ${secret:token}"},
          "request": {
            "method": "POST",
            "path": "/--/api/v2/push/send",
            "encoding": "json",
            "body": {
              "to": "${row:token}",
              "title": "${row:title?}",
              "subtitle": "${row:subtitle?}",
              "body": "${row:body}",
              "richContent": {"image": "${row:image?}"},
              "data": "${row:data:json?}",
              "badge": "${row:badge:json?}",
              "sound": "${row:sound?}",
              "ttl": "${row:ttl:json?}",
              "priority": "${row:priority?}"
            }
          },
          "token": {"shape": "Expo(nent)?PushToken\\[.+\\]"},
          "batch": {"rows": 100, "messages": ""},
          "priority": {"high": "high", "normal": "normal"},
          "pace": {"rows_per_second": 550, "in_flight": 6},
          "answer": {
            "rules": [
              {"status": 200, "at": "/data", "present": true, "outcome": "accepted"},
              {"status": 429, "outcome": "throttled", "retry": "later"},
              {"at": "/errors/0/code", "is": ["PUSH_TOO_MANY_EXPERIENCE_IDS"], "split": true, "outcome": "suspect"},
              {"status": [401, 403], "outcome": "failed", "job": "stop"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/errors/0/message"},
            "rows": {
              "by": "index",
              "list": "/data",
              "id": "/id",
              "rules": [
                {"at": "/status", "is": ["ok"], "outcome": "accepted"},
                {"at": "/details/error", "is": ["DeviceNotRegistered"], "outcome": "unregistered"},
                {"at": "/details/error", "is": ["MessageRateExceeded"], "outcome": "throttled", "retry": "later-own"},
                {"at": "/details/error", "is": ["InvalidCredentials", "DeveloperError"], "outcome": "failed", "reason": "/message"},
                {"at": "/details/error", "is": ["ExpoError", "ProviderError"], "outcome": "unknown", "reason": "/message"}
              ],
              "otherwise": {"outcome": "rejected", "reason": "/message"}
            }
          },
          "examples": [
            {
              "rows": [
                {"token": "ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa]", "title": "Doors open", "body": "Hello \"Ada\""},
                {"token": "ExpoPushToken[bbbbbbbbbbbbbbbbbbbbbb]", "title": "Doors open", "body": "Hello Bob"}
              ],
              "settings": {"token": "secret"},
              "request": {
                "url": "https://exp.host/--/api/v2/push/send",
                "headers": {"content-type": "application/json", "authorization": "Bearer secret"},
                "body": [
                  {"to": "ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa]", "title": "Doors open", "body": "Hello \"Ada\""},
                  {"to": "ExpoPushToken[bbbbbbbbbbbbbbbbbbbbbb]", "title": "Doors open", "body": "Hello Bob"}
                ]
              },
              "answers": [
                {
                  "status": 200,
                  "body": {"data": [
                    {"status": "ok", "id": "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX"},
                    {"status": "error", "message": "not registered",
                     "details": {"error": "DeviceNotRegistered"}}
                  ]},
                  "outcomes": [{"outcome": "accepted", "id": "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX"}, "unregistered"]
                },
                {
                  "status": 200,
                  "body": {"data": [
                    {"status": "error", "message": "slower", "details": {"error": "MessageRateExceeded"}},
                    {"status": "error", "message": "no key", "details": {"error": "InvalidCredentials"}}
                  ]},
                  "outcomes": [{"outcome": "throttled", "retry": "later-own"}, {"outcome": "failed", "reason": "no key"}]
                },
                {"status": 200, "body": {"data": [{"status": "ok"}]}, "outcomes": ["unknown", "unknown"]},
                {
                  "status": 400,
                  "body": {"errors": [{"code": "PUSH_TOO_MANY_EXPERIENCE_IDS", "message": "two projects"}]},
                  "split": true,
                  "outcomes": ["suspect", "suspect"]
                },
                {
                  "status": 400,
                  "body": {"errors": [{"code": "OTHER", "message": "\"title\" is wrong"}]},
                  "outcomes": [
                    {"outcome": "rejected", "reason": "shared: \"title\" is wrong"},
                    "rejected"
                  ]
                },
                {"status": 401, "body": {"errors": [{"code": "OTHER"}]},
                 "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 429, "body": {}, "outcomes": [{"outcome": "throttled", "retry": "later"}, "throttled"]},
                {"status": 502, "body": "<html>Bad Gateway</html>", "outcomes": [{"outcome": "unknown", "retry": "in-doubt"}, "unknown"]}
              ]
            },
            {
              "rows": [{"token": "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0", "title": "t", "body": "b"}],
              "settings": {"token": "secret"},
              "problem": "token does not look like Expo(nent)?PushToken\\[.+\\]"
            },
            {
              "rows": [{"token": "ExpoPushToken[bbbbbbbbbbbbbbbbbbbbbb]", "body": "Hello Bob", "data": {"event": "7"}, "badge": 3, "ttl": 3600, "priority": "high"}],
              "settings": {"token": "secret"},
              "request": {
                "url": "https://exp.host/--/api/v2/push/send",
                "headers": {"content-type": "application/json", "authorization": "Bearer secret"},
                "body": [
                  {
                    "to": "ExpoPushToken[bbbbbbbbbbbbbbbbbbbbbb]", "body": "Hello Bob", "data": {"event": "7"},
                    "badge": 3, "ttl": 3600, "priority": "high"
                  }
                ]
              }
            }
          ]
        }

        """#)
}
