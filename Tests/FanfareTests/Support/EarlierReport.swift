/// A report as an earlier version has written it: with `apns_id`, and without `provider`.
enum EarlierReport {
    static let header =
        "row,id,token,outcome,status,reason,apns_id,attempts,latency_ms,unregistered_at,sent_at"

    /// Two lines, the rows in the wrong order, with a carried column.
    static let csv =
        header + ",name\n"
        + "2,b,t2,failed,503,ServiceUnavailable,x2,5,1.000,,2026-01-01T00:00:00.000Z,Bo\n"
        + "1,,t1,accepted,200,,x1,1,12.345,,2026-01-01T00:00:02.000Z,\n"

    /// The same, where a row without a name has none.
    static let ndjson =
        #"{"row":2,"id":"b","token":"t2","outcome":"failed","status":503,"#
        + #""reason":"ServiceUnavailable","apns_id":"x2","attempts":5,"latency_ms":1.000,"#
        + #""unregistered_at":null,"sent_at":"2026-01-01T00:00:00.000Z","name":"Bo"}"# + "\n"
        + #"{"row":1,"id":null,"token":"t1","outcome":"accepted","status":200,"reason":null,"#
        + #""apns_id":"x1","attempts":1,"latency_ms":12.345,"unregistered_at":null,"#
        + #""sent_at":"2026-01-01T00:00:02.000Z","name":null}"# + "\n"

    /// The same rows as a database.
    static let sql = """
        CREATE TABLE outcomes ("row" INTEGER PRIMARY KEY, "id" TEXT, "token" TEXT, "outcome" TEXT,
            "status" INTEGER, "reason" TEXT, "apns_id" TEXT, "attempts" INTEGER,
            "latency_ms" REAL, "unregistered_at" TEXT, "sent_at" TEXT, "name");
        INSERT INTO outcomes VALUES
            (2, 'b', 't2', 'failed', 503, 'ServiceUnavailable', 'x2', 5, 1.0, NULL,
            '2026-01-01T00:00:00.000Z', 'Bo'),
            (1, NULL, 't1', 'accepted', 200, NULL, 'x1', 1, 12.345, NULL,
            '2026-01-01T00:00:02.000Z', NULL);
        PRAGMA user_version = 1
        """
}
