// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/leancloud.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let leancloud = ShippedProvider(
        "leancloud",
        #"""
        {
          "fanfare_provider": 1,
          "name": "leancloud",
          "about": "LeanCloud, which closes on 2027-01-12",
          "sources": [
            "leancloud/docs: docs/sdk/push/guide/rest.mdx",
            "leancloud/docs: docs/sdk/announcements/sunset-announcement.mdx"
          ],
          "notes": [
            "The service takes no new users or apps since 2026-01-12.",
            "Of the devices in a request it tells nothing, and leaves out iOS tokens that it knows to be dead.",
            "All rows of a request are for devices of one type, ios or android: the column platform.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "ends": "2027-01-12",
          "settings": {
            "host": {"about": "the host of the app"},
            "app_id": {"about": "the app's id"},
            "master": {"secret": true, "about": "the app's master key"}
          },
          "origin": "https://${set:host}",
          "auth": {"kind": "header", "name": "x-lc-key", "value": "${secret:master},master"},
          "request": {
            "method": "POST",
            "path": "/1.1/push/devices",
            "headers": {"x-lc-id": "${set:app_id}"},
            "encoding": "json",
            "max_body": 4095,
            "body": {
              "device_type": "${row:platform}",
              "device_ids": [],
              "data": {
                "alert": "${row:body}",
                "title": "${row:title?}",
                "badge": "${row:badge:json?}",
                "sound": "${row:sound?}"
              },
              "expiration_interval": "${row:ttl:json?}",
              "prod": "prod"
            }
          },
          "batch": {"rows": 500, "tokens": "/device_ids", "join": "array"},
          "idempotency": {"pointer": "/req_id", "value": "alnum16", "valid": "5m"},
          "answer": {
            "id": "/objectId",
            "rows": {"by": "batch"},
            "rules": [
              {"status": "2xx", "outcome": "accepted"},
              {"status": [429, 529], "outcome": "throttled", "retry": "later"},
              {"status": [401, 403], "outcome": "failed", "job": "stop", "reason": "/error"},
              {"at": "/code", "is": [140], "outcome": "throttled", "job": "stop", "reason": "/error"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/error"}
          },
          "examples": [
            {
              "rows": [{"token": "d1", "platform": "android", "body": "Doors open"}, {"token": "d2", "platform": "android", "body": "Doors open"}],
              "settings": {"host": "lc.example.org", "app_id": "app", "master": "secret"},
              "id": "0123456789abcdef",
              "request": {
                "url": "https://lc.example.org/1.1/push/devices",
                "headers": {"content-type": "application/json", "x-lc-id": "app", "x-lc-key": "secret,master"},
                "body": {
                  "device_type": "android",
                  "device_ids": ["d1", "d2"],
                  "data": {"alert": "Doors open"},
                  "prod": "prod",
                  "req_id": "0123456789abcdef"
                }
              },
              "answers": [
                {"status": 200, "body": {"objectId": "o1", "createdAt": "2026-11-23T08:00:00.000Z"},
                 "outcomes": [{"outcome": "accepted", "reason": "shared", "id": "o1"}, "accepted"]},
                {"status": 400, "body": {"code": 140, "error": "plan"},
                 "outcomes": [{"outcome": "throttled", "reason": "shared: plan", "job": "stop"}, "throttled"]},
                {"status": 401, "body": {"code": 401, "error": "Unauthorized."}, "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 429, "body": {"code": 429, "error": "slower"}, "outcomes": [{"outcome": "throttled", "retry": "later"}, "throttled"]},
                {"status": 529, "outcomes": ["throttled", "throttled"]},
                {"status": 400, "body": {"code": 107, "error": "malformed"}, "outcomes": ["rejected", "rejected"]},
                {"status": 500, "outcomes": ["unknown", "unknown"]}
              ]
            }
          ]
        }

        """#)
}
