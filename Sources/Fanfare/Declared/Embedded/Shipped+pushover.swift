// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/pushover.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let pushover = ShippedProvider(
        "pushover",
        #"""
        {
          "fanfare_provider": 1,
          "name": "pushover",
          "about": "Pushover; the token of a row is the key of a user or a group",
          "sources": [
            "https://pushover.net/api",
            "https://blog.pushover.net/posts/2026/4/app-limits"
          ],
          "notes": [
            "10,000 messages a month, for the whole account since 2026-05-01.",
            "That an unknown app is told by \"token\": \"invalid\" was taken from memory.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {"token": {"secret": true, "about": "the app's token"}},
          "origin": "https://api.pushover.net",
          "auth": {"kind": "none"},
          "request": {
            "method": "POST",
            "path": "/1/messages.json",
            "encoding": "form",
            "body": {
              "token": "${secret:token}",
              "user": "${row:token}",
              "title": "${row:title?}",
              "message": "${row:body}",
              "url": "${row:link?}",
              "sound": "${row:sound?}",
              "ttl": "${row:ttl?}",
              "priority": "${row:priority?}"
            }
          },
          "token": {"shape": "[A-Za-z0-9]{30}"},
          "priority": {"high": 1, "normal": 0},
          "pace": {
            "in_flight": 2,
            "remaining_header": "x-limit-app-remaining",
            "reset_header": "x-limit-app-reset"
          },
          "answer": {
            "id": "/request",
            "rules": [
              {"status": "2xx", "at": "/status", "is": [1], "outcome": "accepted"},
              {"at": "/user", "is": ["invalid"], "outcome": "unregistered", "reason": "/errors/0"},
              {"at": "/token", "is": ["invalid"], "outcome": "failed", "job": "stop", "reason": "/errors/0"},
              {"status": 429, "outcome": "throttled", "job": "stop", "reason": "/errors/0"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/errors/0"}
          },
          "examples": [
            {
              "rows": [{"token": "uQiRzpo4DXghDmr9QzzfQu27cmVRsG", "body": "Doors & gates open at 8 – bring a ticket"}],
              "settings": {"token": "azGDORePK8gMaC0QOYAMyEEuzJnyUi"},
              "request": {
                "url": "https://api.pushover.net/1/messages.json",
                "headers": {"content-type": "application/x-www-form-urlencoded"},
                "body": "token=azGDORePK8gMaC0QOYAMyEEuzJnyUi&user=uQiRzpo4DXghDmr9QzzfQu27cmVRsG&message=Doors+%26+gates+open+at+8+%E2%80%93+bring+a+ticket"
              },
              "answers": [
                {"status": 200, "body": {"status": 1, "request": "647d2300-702c-4b38-8b2f-d56326ae460b"},
                 "outcomes": [{"outcome": "accepted", "id": "647d2300-702c-4b38-8b2f-d56326ae460b"}]},
                {"status": 400,
                 "body": {"user": "invalid", "errors": ["user identifier is not a valid user, group, or subscribed user key"], "status": 0, "request": "r2"},
                 "outcomes": [{"outcome": "unregistered", "reason": "user identifier is not a valid user, group, or subscribed user key", "id": "r2"}]},
                {"status": 400, "body": {"token": "invalid", "errors": ["application token is invalid"], "status": 0, "request": "r3"},
                 "outcomes": [{"outcome": "failed", "job": "stop", "reason": "application token is invalid"}]},
                {"status": 429, "body": {"errors": ["limit"], "status": 0}, "outcomes": [{"outcome": "throttled", "job": "stop"}]},
                {"status": 400, "body": {"message": "cannot be blank", "errors": ["message cannot be blank"], "status": 0},
                 "outcomes": [{"outcome": "rejected", "reason": "message cannot be blank"}]},
                {"status": 503, "outcomes": ["unknown"]},
                {"status": 502, "body": {"status": 1, "request": "r4"}, "outcomes": ["unknown"]},
                {"status": 404, "body": {"status": 1, "request": "r5"}, "outcomes": ["rejected"]}
              ]
            },
            {
              "rows": [{"token": "uQiRzpo4DXghDmr9QzzfQu27cmVRsG", "title": "Doors", "body": "at 8", "sound": "bike", "ttl": 60, "priority": 1}],
              "settings": {"token": "azGDORePK8gMaC0QOYAMyEEuzJnyUi"},
              "request": {
                "url": "https://api.pushover.net/1/messages.json",
                "headers": {"content-type": "application/x-www-form-urlencoded"},
                "body": "token=azGDORePK8gMaC0QOYAMyEEuzJnyUi&user=uQiRzpo4DXghDmr9QzzfQu27cmVRsG&title=Doors&message=at+8&sound=bike&ttl=60&priority=1"
              }
            }
          ]
        }

        """#)
}
