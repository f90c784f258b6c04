// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/jpush.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let jpush = ShippedProvider(
        "jpush",
        #"""
        {
          "fanfare_provider": 1,
          "name": "jpush",
          "about": "JPush 极光, version 3 of its interface",
          "sources": [
            "jpush/jpush-docs: zh/jpush/server/push/rest_api_v3_push.md, server_overview.md (of 2019)",
            "jpush/jpush-api-java-client"
          ],
          "notes": [
            "Of the ids in a list the service tells nothing: accepted, for a request with several, says nothing of one.",
            "600 requests a minute are those of the free plan.",
            "The figures are those of documents of 2019.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {
            "app_key": {"about": "the app's key"},
            "master": {"secret": true, "about": "the app's master secret"}
          },
          "origin": "https://api.jpush.cn",
          "auth": {"kind": "basic", "user": "${set:app_key}", "password": "${secret:master}"},
          "request": {
            "method": "POST",
            "path": "/v3/push",
            "encoding": "json",
            "body": {
              "platform": "all",
              "audience": {"registration_id": []},
              "notification": {
                "alert": "${row:body}",
                "android": {"title": "${row:title?}", "extras": "${row:data:json?}"},
                "ios": {
                  "badge": "${row:badge:json?}",
                  "sound": "${row:sound?}",
                  "extras": "${row:data:json?}"
                }
              },
              "options": {"apns_production": true, "time_to_live": "${row:ttl:json?}"}
            }
          },
          "batch": {"rows": 1000, "tokens": "/audience/registration_id", "join": "array"},
          "pace": {
            "requests_per_second": 10,
            "remaining_header": "x-rate-limit-remaining",
            "reset_header": "x-rate-limit-reset"
          },
          "answer": {
            "id": "/msg_id",
            "rows": {"by": "batch"},
            "rules": [
              {"status": 200, "outcome": "accepted"},
              {"at": "/error/code", "is": [1011], "outcome": "unregistered", "reason": "/error/message"},
              {"at": "/error/code", "is": [1003], "split": true, "outcome": "suspect", "reason": "/error/message"},
              {"status": 429, "outcome": "throttled", "retry": "later"},
              {"status": [401, 403], "outcome": "failed", "job": "stop", "reason": "/error/message"},
              {"at": "/error/code", "is": [1008], "outcome": "failed", "job": "stop", "reason": "/error/message"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/error/message"}
          },
          "examples": [
            {
              "rows": [
                {"token": "1a0018970a8e9d8d8d8", "body": "Doors open"},
                {"token": "1a0018970a8e9d8d8d9", "body": "Doors open"}
              ],
              "settings": {"app_key": "Aladdin", "master": "open sesame"},
              "request": {
                "url": "https://api.jpush.cn/v3/push",
                "headers": {"content-type": "application/json", "authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
                "body": {
                  "platform": "all",
                  "audience": {"registration_id": ["1a0018970a8e9d8d8d8", "1a0018970a8e9d8d8d9"]},
                  "notification": {"alert": "Doors open"},
                  "options": {"apns_production": true}
                }
              },
              "answers": [
                {"status": 200, "body": {"sendno": "0", "msg_id": "18100287008546779"},
                 "outcomes": [
                   {"outcome": "accepted", "reason": "shared", "id": "18100287008546779"},
                   {"outcome": "accepted", "reason": "shared"}
                 ]},
                {"status": 400, "body": {"error": {"code": 1011, "message": "no target"}},
                 "outcomes": [{"outcome": "suspect", "reason": "shared: no target"}, "suspect"]},
                {"status": 400, "body": {"error": {"code": 1003, "message": "illegal value"}},
                 "split": true, "outcomes": ["suspect", "suspect"]},
                {"status": 401, "body": {"error": {"code": 1004, "message": "who are you"}},
                 "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 400, "body": {"error": {"code": 1008, "message": "app_key is invalid"}},
                 "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 429, "body": {"error": {"code": 2002, "message": "rate limit"}},
                 "outcomes": ["throttled", "throttled"]},
                {"status": 503, "body": "", "outcomes": ["unknown", "unknown"]}
              ]
            },
            {
              "rows": [{"token": "1a0018970a8e9d8d8d8", "body": "Doors open"}],
              "settings": {"app_key": "Aladdin", "master": "open sesame"},
              "answers": [
                {"status": 200, "body": {"sendno": "0", "msg_id": "1"}, "outcomes": [{"outcome": "accepted", "reason": ""}]},
                {"status": 400, "body": {"error": {"code": 1011, "message": "no target"}},
                 "outcomes": ["unregistered"]}
              ]
            }
          ]
        }

        """#)
}
