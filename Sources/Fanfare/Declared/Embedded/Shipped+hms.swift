// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/hms.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let hms = ShippedProvider(
        "hms",
        #"""
        {
          "fanfare_provider": 1,
          "name": "hms",
          "about": "Huawei's HMS Push, version 1 of its interface",
          "sources": [
            "HMS-Core/hms-push-serverdemo-java: ResponceCodeProcesser.java, HuaweiCredential.java",
            "meetleev/go-multipush: huawei/"
          ],
          "notes": [
            "The text of msg is JSON inside of a text, where some of the tokens are illegal.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {
            "app_id": {"about": "the app's id, which is its client id, too"},
            "client_secret": {"secret": true, "about": "the app's client secret"}
          },
          "origin": "https://push-api.cloud.huawei.com",
          "auth": {
            "kind": "client_credentials",
            "url": "https://oauth-login.cloud.huawei.com/oauth2/v3/token",
            "form": {
              "grant_type": "client_credentials",
              "client_id": "${set:app_id}",
              "client_secret": "${secret:client_secret}"
            },
            "token": "/access_token",
            "lifetime": "/expires_in",
            "use": "authorization: Bearer ${token}"
          },
          "request": {
            "method": "POST",
            "path": "/v1/${set:app_id}/messages:send",
            "encoding": "json",
            "body": {
              "validate_only": false,
              "message": {
                "android": {
                  "ttl": "${row:ttl?}s",
                  "urgency": "${row:priority?}",
                  "notification": {
                    "title": "${row:title}",
                    "body": "${row:body}",
                    "image": "${row:image?}",
                    "tag": "${row:collapse?}",
                    "click_action": {"type": 3}
                  }
                },
                "token": []
              }
            }
          },
          "priority": {"high": "HIGH", "normal": "NORMAL"},
          "batch": {"rows": 1000, "tokens": "/message/token", "join": "array"},
          "answer": {
            "id": "/requestId",
            "decode": ["/msg"],
            "rules": [
              {"status": 200, "at": "/code", "is": ["80000000", "80100000"], "outcome": "accepted"},
              {"at": "/code", "is": ["80300007"], "outcome": "unregistered", "reason": "/msg"},
              {"at": "/code", "is": ["80200003"], "outcome": "failed", "retry": "with-new-credential"},
              {"at": "/code", "is": ["80200001", "80300002", "80300011"], "outcome": "failed", "job": "stop", "reason": "/msg"},
              {"at": "/code", "is": ["80300010"], "split": true, "outcome": "rejected", "reason": "/msg"},
              {"at": "/code", "is": ["80600003", "81000001"], "outcome": "unknown", "reason": "/msg"},
              {"status": 503, "outcome": "throttled", "retry": "later"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/msg"},
            "rows": {
              "by": "tokens",
              "lists": [{"at": "/msg/illegal_tokens", "outcome": "unregistered"}],
              "rest": "accepted"
            }
          },
          "examples": [
            {
              "rows": [
                {"token": "AAAA", "title": "Doors open", "body": "at eight"},
                {"token": "BBBB", "title": "Doors open", "body": "at eight"}
              ],
              "settings": {"app_id": "10086", "client_secret": "secret"},
              "token": "at-1",
              "request": {
                "url": "https://push-api.cloud.huawei.com/v1/10086/messages:send",
                "headers": {"content-type": "application/json", "authorization": "Bearer at-1"},
                "body": {
                  "validate_only": false,
                  "message": {
                    "android": {
                      "notification": {"title": "Doors open", "body": "at eight", "click_action": {"type": 3}}
                    },
                    "token": ["AAAA", "BBBB"]
                  }
                }
              },
              "answers": [
                {"status": 200, "body": {"code": "80000000", "msg": "Success", "requestId": "r1"},
                 "outcomes": [{"outcome": "accepted", "id": "r1"}, "accepted"]},
                {"status": 200,
                 "body": {"code": "80100000", "msg": "{\"success\":1,\"failure\":1,\"illegal_tokens\":[\"BBBB\"]}", "requestId": "r2"},
                 "outcomes": ["accepted", {"outcome": "unregistered", "id": "r2"}]},
                {"status": 400, "body": {"code": "80300007", "msg": "all are invalid", "requestId": "r3"},
                 "outcomes": [{"outcome": "suspect", "reason": "shared: all are invalid"}, "suspect"]},
                {"status": 401, "body": {"code": "80200003", "msg": "expired", "requestId": "r4"},
                 "outcomes": [{"outcome": "failed", "retry": "with-new-credential", "credential": "renew"}, "failed"]},
                {"status": 401, "body": {"code": "80200001", "msg": "no such client", "requestId": "r5"},
                 "outcomes": [{"outcome": "failed", "job": "stop"}, "failed"]},
                {"status": 400, "body": {"code": "80300010", "msg": "too many tokens", "requestId": "r6"},
                 "split": true, "outcomes": ["rejected", "rejected"]},
                {"status": 500, "body": {"code": "81000001", "msg": "internal", "requestId": "r7"},
                 "outcomes": ["unknown", "unknown"]},
                {"status": 503, "body": "", "outcomes": ["throttled", "throttled"]},
                {"status": 200, "body": {"code": "80100000"}, "incomplete": true,
                 "outcomes": [{"outcome": "unknown", "retry": "in-doubt"}, "unknown"]}
              ]
            },
            {
              "rows": [{"token": "ABC", "title": "Doors", "body": "at eight", "image": "https://example.org/a.jpg", "ttl": 3600, "collapse": "doors", "priority": "HIGH"}],
              "settings": {"app_id": "101", "client_secret": "s"},
              "token": "at-1",
              "request": {
                "url": "https://push-api.cloud.huawei.com/v1/101/messages:send",
                "headers": {"content-type": "application/json", "authorization": "Bearer at-1"},
                "body": {
                  "validate_only": false,
                  "message": {
                    "android": {
                      "ttl": "3600s",
                      "urgency": "HIGH",
                      "notification": {
                        "title": "Doors", "body": "at eight", "image": "https://example.org/a.jpg", "tag": "doors",
                        "click_action": {"type": 3}
                      }
                    },
                    "token": ["ABC"]
                  }
                }
              }
            }
          ]
        }

        """#)
}
