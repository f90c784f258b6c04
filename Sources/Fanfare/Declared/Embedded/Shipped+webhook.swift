// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped/webhook.json, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    static let webhook = ShippedProvider(
        "webhook",
        #"""
        {
          "fanfare_provider": 1,
          "name": "webhook",
          "about": "Webhooks with the signatures of Standard Webhooks: each row has a URL, and may have a secret of its own",
          "sources": ["standard-webhooks/standard-webhooks: spec/standard-webhooks.md"],
          "notes": [
            "The column endpoint has the URL, secret the key (whsec_…), payload the body as JSON.",
            "Rows without a secret of their own are signed with that of the secret named signing.",
            "The specification advises bodies of 20 kB at most.",
            "Its schedule of attempts runs over three days; what is not taken in the run is for a later one."
          ],
          "tried": false,
          "settings": {"signing": {"secret": true, "about": "the key for rows without one of their own (whsec_…)"}},
          "origin": {"column": "endpoint", "allow_hosts": ["*"]},
          "auth": {
            "kind": "hmac",
            "hash": "sha256",
            "key": "${row:secret}",
            "key_default": "${secret:signing}",
            "key_as": "whsec",
            "over": ["${id}.${time:s}.", "${body}"],
            "as": "base64",
            "prefix": "v1,",
            "use": "webhook-signature",
            "also": {"webhook-timestamp": "${time:s}"}
          },
          "request": {
            "method": "POST",
            "encoding": "json",
            "max_body": 1048576,
            "timeout": "20s",
            "body": "${row:payload:json}"
          },
          "idempotency": {"header": "webhook-id", "value": "uuid5", "valid": "24h"},
          "answer": {
            "rules": [
              {"status": "2xx", "outcome": "accepted"},
              {"status": "3xx", "outcome": "rejected", "reason": "redirects are not followed"},
              {"status": 410, "outcome": "unregistered"},
              {"status": [429, 502, 503, 504], "outcome": "throttled", "retry": "later"},
              {"status": "5xx", "outcome": "failed", "retry": "later"}
            ],
            "otherwise": {"outcome": "rejected"}
          },
          "examples": [
            {
              "rows": [
                {
                  "endpoint": "https://hooks.example.org/in?source=fanfare",
                  "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                  "payload": {"test": 2432232314}
                }
              ],
              "settings": {"signing": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
              "time": 1614265330,
              "id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
              "request": {
                "url": "https://hooks.example.org/in?source=fanfare",
                "headers": {
                  "content-type": "application/json",
                  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                  "webhook-timestamp": "1614265330",
                  "webhook-signature": "v1,Vif40peJBP7Iyl0XGmu61n4MwdrcHov5CFREBpE0svs="
                },
                "body": {"test": 2432232314}
              },
              "answers": [
                {"status": 200, "body": "ok", "outcomes": ["accepted"]},
                {"status": 204, "outcomes": ["accepted"]},
                {"status": 302, "outcomes": [{"outcome": "rejected", "reason": "redirects are not followed"}]},
                {"status": 410, "outcomes": ["unregistered"]},
                {"status": 404, "body": "<html>not here</html>", "outcomes": ["rejected"]},
                {"status": 429, "outcomes": [{"outcome": "throttled", "retry": "later"}]},
                {"status": 502, "outcomes": [{"outcome": "throttled", "retry": "later"}]},
                {"status": 500, "outcomes": [{"outcome": "failed", "retry": "later"}]}
              ]
            },
            {
              "rows": [
                {"endpoint": "https://hooks.example.org/in?source=fanfare", "payload": {"test": 2432232314}}
              ],
              "settings": {"signing": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
              "time": 1614265330,
              "id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
              "request": {
                "url": "https://hooks.example.org/in?source=fanfare",
                "headers": {
                  "content-type": "application/json",
                  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                  "webhook-timestamp": "1614265330",
                  "webhook-signature": "v1,Vif40peJBP7Iyl0XGmu61n4MwdrcHov5CFREBpE0svs="
                },
                "body": {"test": 2432232314}
              }
            },
            {
              "rows": [{"endpoint": "http://hooks.example.org/in", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "payload": {}}],
              "settings": {"signing": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
              "problem": "the URL is not https"
            },
            {
              "rows": [{"endpoint": "https://10.0.0.1/in", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "payload": {}}],
              "settings": {"signing": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
              "problem": "the URL has an address in place of a host's name"
            },
            {
              "rows": [{"endpoint": "https://hooks.example.org/in", "secret": "none", "payload": {}}],
              "settings": {"signing": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
              "problem": "the key of the signature is not whsec_ and Base64 of 16 to 64 bytes"
            }
          ]
        }

        """#)
}
