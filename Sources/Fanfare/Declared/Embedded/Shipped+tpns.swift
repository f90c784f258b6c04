// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/tpns.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let tpns = ShippedProvider(
        "tpns",
        #"""
        {
          "fanfare_provider": 1,
          "name": "tpns",
          "about": "Tencent's TPNS 移动推送, version 3 of its interface, once XG 信鸽",
          "sources": [
            "https://intl.cloud.tencent.com/document/product/1024/34213 (signature)",
            "https://cloud.tencent.com/document/product/548/36669 (codes)",
            "https://www.tencentcloud.com/document/product/1024/33763"
          ],
          "notes": [
            "One row in each request: of the tokens in a list the service tells nothing.",
            "Regions have hosts of their own: api.tpns.hk.tencent.com, api.tpns.sgp.tencent.com, api.tpns.sh.tencent.com.",
            "The documents were last changed in January 2024.",
            "Which members have pictures, links and the like was taken from memory."
          ],
          "tried": false,
          "settings": {
            "host": {"default": "api.tpns.tencent.com", "about": "the host of the app's region"},
            "access_id": {"about": "the app's access id"},
            "secret": {"secret": true, "about": "the app's secret key"}
          },
          "origin": "https://${set:host}",
          "auth": {
            "kind": "hmac",
            "hash": "sha256",
            "key": "${secret:secret}",
            "over": ["${time:s}", "${set:access_id}", "${body}"],
            "as": "base64-of-hex",
            "use": "sign",
            "also": {"timestamp": "${time:s}", "accessid": "${set:access_id}"}
          },
          "request": {
            "method": "POST",
            "path": "/v3/push/app",
            "encoding": "json",
            "body": {
              "audience_type": "token",
              "token_list": ["${row:token}"],
              "message_type": "notify",
              "message": {"title": "${row:title}", "content": "${row:body}"},
              "expire_time": "${row:ttl:json?}"
            }
          },
          "token": {"shape": ".{1,36}"},
          "answer": {
            "id": "/push_id",
            "rules": [
              {"status": 200, "at": "/ret_code", "is": [0], "outcome": "accepted"},
              {"at": "/ret_code", "is": [10010005, 1008006, 1008029], "outcome": "unregistered", "reason": "/err_msg"},
              {"at": "/ret_code", "is": [1008028], "outcome": "throttled", "retry": "later", "reason": "/err_msg"},
              {"status": 200, "at": "/ret_code", "is": [10010018], "outcome": "accepted", "reason": "duplicate push"},
              {"at": "/ret_code", "is": [1008003, 10030002, 1008030, 1008031, 1010001], "outcome": "failed", "job": "stop", "reason": "/err_msg"},
              {"at": "/ret_code", "is": [1008004], "outcome": "unknown", "reason": "/err_msg"},
              {"status": "5xx", "outcome": "unknown"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/err_msg"}
          },
          "examples": [
            {
              "rows": [{"token": "04cac74a714f61bf089987a986363d88993b", "title": "Doors open", "body": "at eight"}],
              "settings": {"access_id": "1500001048", "secret": "secret"},
              "time": 1565314789,
              "request": {
                "url": "https://api.tpns.tencent.com/v3/push/app",
                "headers": {
                  "content-type": "application/json",
                  "timestamp": "1565314789",
                  "accessid": "1500001048",
                  "sign": "NzgwYjUzMzZjNDgwODY1ZWI4OGMwNTk3N2U0Mzc2ODNmYzM1NjhlY2EzYWMyY2I2ZDk5MmMzZDE3NTgxZGE0NQ=="
                },
                "body": {
                  "audience_type": "token",
                  "token_list": ["04cac74a714f61bf089987a986363d88993b"],
                  "message_type": "notify",
                  "message": {"title": "Doors open", "content": "at eight"}
                }
              },
              "answers": [
                {"status": 200, "body": {"seq": 0, "push_id": "427184209", "ret_code": 0, "environment": "product", "err_msg": "", "result": "[0]"},
                 "outcomes": [{"outcome": "accepted", "id": "427184209"}]},
                {"status": 200, "body": {"ret_code": 10010005, "err_msg": "no target"},
                 "outcomes": [{"outcome": "unregistered", "reason": "no target"}]},
                {"status": 200, "body": {"ret_code": 1008028, "err_msg": "quota"}, "outcomes": [{"outcome": "throttled", "retry": "later"}]},
                {"status": 200, "body": {"ret_code": 10010018, "err_msg": "again"},
                 "outcomes": [{"outcome": "accepted", "reason": "duplicate push"}]},
                {"status": 200, "body": {"ret_code": 1008003, "err_msg": "sign"}, "outcomes": [{"outcome": "failed", "job": "stop"}]},
                {"status": 200, "body": {"ret_code": 1008004, "err_msg": "internal"}, "outcomes": [{"outcome": "unknown", "retry": "in-doubt"}]},
                {"status": 200, "body": {"ret_code": 1, "err_msg": "something else"},
                 "outcomes": [{"outcome": "rejected", "reason": "something else"}]},
                {"status": 200, "body": "{\"seq\": 0, \"ret_co", "outcomes": ["unknown"]},
                {"status": 500, "outcomes": ["unknown"]},
                {"status": 502, "body": {"ret_code": 10010018, "err_msg": "again"}, "outcomes": ["unknown"]}
              ]
            },
            {
              "rows": [{"token": "04cac74a714f61bf089987a986363d88993b0", "title": "t", "body": "b"}],
              "settings": {"access_id": "1500001048", "secret": "secret"},
              "problem": "token does not look like .{1,36}"
            }
          ]
        }

        """#)
}
