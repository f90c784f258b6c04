// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/onesignal.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let onesignal = ShippedProvider(
        "onesignal",
        #"""
        {
          "fanfare_provider": 1,
          "name": "onesignal",
          "about": "OneSignal, to subscriptions by their ids",
          "sources": [
            "OneSignal/onesignal-node-api: models/",
            "docs.rs/onesignal-rust-api 5.13",
            "api-evangelist/onesignal: rate-limits/"
          ],
          "notes": [
            "OneSignal disables an app that sends more than ten times its subscribers within a quarter of an hour.",
            "150 requests a second on the free plan, 6,000 on the paid one, shared with cancellations.",
            "2,000 subscriptions in a request are what the SDK says; the service's site has said more.",
            "An answer may take 100 seconds.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {
            "app_id": {"about": "the app's id, a UUID"},
            "key": {"secret": true, "about": "the app's API key"}
          },
          "origin": "https://api.onesignal.com",
          "auth": {"kind": "header", "name": "authorization", "value": "Key ${secret:key}"},
          "request": {
            "method": "POST",
            "path": "/notifications",
            "encoding": "json",
            "timeout": "100s",
            "body": {
              "app_id": "${set:app_id}",
              "target_channel": "push",
              "include_subscription_ids": [],
              "headings": {"en": "${row:title?}"},
              "subtitle": {"en": "${row:subtitle?}"},
              "contents": {"en": "${row:body}"},
              "big_picture": "${row:image?}",
              "url": "${row:link?}",
              "data": "${row:data:json?}",
              "ttl": "${row:ttl:json?}",
              "collapse_id": "${row:collapse?}",
              "priority": "${row:priority:json?}"
            }
          },
          "batch": {"rows": 2000, "tokens": "/include_subscription_ids", "join": "array"},
          "priority": {"high": 10, "normal": 5},
          "idempotency": {"pointer": "/idempotency_key", "value": "uuid5", "valid": "24h"},
          "answer": {
            "id": "/id",
            "rules": [
              {"status": 200, "at": "/id", "is": [""], "outcome": "unregistered", "reason": "/errors/0"},
              {"status": 200, "outcome": "accepted"},
              {"status": 429, "outcome": "throttled", "retry": "later"},
              {"status": [401, 403], "outcome": "failed", "job": "stop"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/errors/0"},
            "rows": {
              "by": "tokens",
              "lists": [{"at": "/errors/invalid_player_ids", "outcome": "unregistered"}],
              "rest": "accepted"
            }
          },
          "examples": [
            {
              "rows": [
                {"token": "1dd608f2-c6a1-11e3-851d-000c2940e62c", "body": "at eight"},
                {"token": "2dd608f2-c6a1-11e3-851d-000c2940e62c", "body": "at eight"}
              ],
              "settings": {"app_id": "5eb5a37e-b458-11e3-ac11-000c2940e62c", "key": "secret"},
              "id": "2ed6657d-e927-568b-95e1-2665a8aea6a2",
              "request": {
                "url": "https://api.onesignal.com/notifications",
                "headers": {"content-type": "application/json", "authorization": "Key secret"},
                "body": {
                  "app_id": "5eb5a37e-b458-11e3-ac11-000c2940e62c",
                  "target_channel": "push",
                  "include_subscription_ids": ["1dd608f2-c6a1-11e3-851d-000c2940e62c", "2dd608f2-c6a1-11e3-851d-000c2940e62c"],
                  "contents": {"en": "at eight"},
                  "idempotency_key": "2ed6657d-e927-568b-95e1-2665a8aea6a2"
                }
              },
              "answers": [
                {"status": 200, "body": {"id": "n1", "errors": []},
                 "outcomes": [{"outcome": "accepted", "id": "n1"}, "accepted"]},
                {"status": 200, "body": {"id": "n1", "errors": {"invalid_player_ids": ["2dd608f2-c6a1-11e3-851d-000c2940e62c"]}},
                 "outcomes": ["accepted", "unregistered"]},
                {"status": 200, "body": {"id": "n1", "errors": {"invalid_player_ids": ["of-nobody"]}},
                 "strays": 1, "outcomes": ["accepted", "accepted"]},
                {"status": 200, "body": {"id": "", "errors": ["none of them is subscribed"]},
                 "outcomes": [{"outcome": "suspect", "reason": "shared: none of them is subscribed"}, "suspect"]},
                {"status": 400, "body": {"errors": ["app_id is malformed"]},
                 "outcomes": [{"outcome": "rejected", "reason": "shared: app_id is malformed"}, "rejected"]},
                {"status": 403, "body": {"errors": ["key"]}, "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 429, "body": {"errors": ["rate"]}, "outcomes": ["throttled", "throttled"]},
                {"status": 503, "outcomes": ["unknown", "unknown"]}
              ]
            },
            {
              "rows": [{"token": "1dd608f2-c6a1-11e3-851d-000c2940e62c", "body": "at eight"}],
              "settings": {"app_id": "5eb5a37e-b458-11e3-ac11-000c2940e62c", "key": "secret"},
              "answers": [
                {"status": 200, "body": {"id": "", "errors": ["none of them is subscribed"]},
                 "outcomes": [{"outcome": "unregistered", "reason": "none of them is subscribed"}]}
              ]
            }
          ]
        }

        """#)
}
