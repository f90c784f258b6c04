/// The tables of jobs that several workers share, and the roles that may use them.
///
/// `first_row`, `rows` and the like count rows from 0. Names of files, options and sums stand in them, and no token,
/// payload or key.
package enum ClusterSchema {
    /// The version of the tables; programs with another one do not touch them.
    package static let version = 3

    /// The state of a job that was removed: nothing but its name is left, so that no worker which comes later begins it anew.
    static let removed = "removed"

    /// Returns what speaks against tables of a version; `nil` if this program uses them.
    static func fault(ofVersion present: Int64) -> String? {
        if present == version { return nil }
        return present < version
            ? "its tables have version \(present), and this program needs version \(version): "
                + "fanfare cluster init brings them there while no job runs"
            : "its tables have version \(present), and this program knows version \(version): "
                + "a newer Fanfare has made them, so use that one"
    }

    /// Refuses a schema of another user, whose views, triggers and functions would run with the rights of this user.
    ///
    /// A superuser could have had all of that anyway.
    private static let ownership = """
        DO $$ DECLARE
          owner text := (
            SELECT r.rolname FROM pg_roles r WHERE r.rolname <> current_user AND NOT r.rolsuper AND r.oid IN (
              SELECT nspowner FROM pg_namespace WHERE nspname = 'fanfare'
              UNION SELECT relowner FROM pg_class WHERE relnamespace = 'fanfare'::regnamespace
              UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'fanfare'::regnamespace
              UNION SELECT typowner FROM pg_type WHERE typnamespace = 'fanfare'::regnamespace
              UNION SELECT oprowner FROM pg_operator WHERE oprnamespace = 'fanfare'::regnamespace)
            ORDER BY r.rolname LIMIT 1);
        BEGIN
          IF owner IS NOT NULL THEN
            RAISE EXCEPTION 'the schema fanfare, or something in it, belongs to %, whose code would run as %: '
              'if that is right, let % do this; if not, drop the schema', owner, current_user, owner;
          END IF;
        END $$;
        """

    /// Refuses tables of a later version, and those of an earlier one while a worker uses them.
    private static let change = """
        DO $$ DECLARE
          present int := (SELECT version FROM fanfare.meta);
          busy text;
        BEGIN
          IF present > \(version) THEN
            RAISE EXCEPTION 'the tables have version %, and this program knows version \(version): '
              'a newer Fanfare has made them, so use that one', present;
          END IF;
          IF present < \(version) THEN
            LOCK TABLE fanfare.jobs, fanfare.workers IN ACCESS EXCLUSIVE MODE;
            SELECT string_agg(DISTINCT j.name, ', ') INTO busy
              FROM fanfare.jobs j JOIN fanfare.workers w USING (job)
              WHERE j.state <> 'finished' AND w.state <> 'left'
              AND w.seen > clock_timestamp() - interval '1 minute';
            IF busy IS NOT NULL THEN
              RAISE EXCEPTION 'the tables have version %, and workers of % use them: let these end, or stop them, and '
                'try again a minute later', present, busy;
            END IF;
            ALTER TABLE fanfare.jobs
              ADD COLUMN IF NOT EXISTS outcome_epoch bigint NOT NULL DEFAULT 0,
              ADD COLUMN IF NOT EXISTS holds timestamptz[] NOT NULL DEFAULT '{}',
              ADD COLUMN IF NOT EXISTS policy bigint, ADD COLUMN IF NOT EXISTS settings text,
              ADD COLUMN IF NOT EXISTS stopped_by uuid, ADD COLUMN IF NOT EXISTS stop_reason text;
            ALTER TABLE fanfare.workers
              ADD COLUMN IF NOT EXISTS counter bigint NOT NULL DEFAULT 0,
              ADD COLUMN IF NOT EXISTS earlier_outcomes bigint[] NOT NULL DEFAULT '{}',
              ADD COLUMN IF NOT EXISTS machine text NOT NULL DEFAULT '',
              ADD COLUMN IF NOT EXISTS totals bigint[] NOT NULL DEFAULT '{}',
              ADD COLUMN IF NOT EXISTS speed bigint NOT NULL DEFAULT 0,
              ADD COLUMN IF NOT EXISTS step_ms bigint NOT NULL DEFAULT 0,
              ADD COLUMN IF NOT EXISTS writes_off timestamptz;
            UPDATE fanfare.meta SET version = \(version);
          END IF;
        END $$;
        """

    /// Makes what is not there yet, brings tables of an earlier version to this one, and leaves everything else alone.
    ///
    /// To be run as one transaction.
    package static let text = """
        SET LOCAL search_path = pg_catalog;
        CREATE SCHEMA IF NOT EXISTS fanfare;
        \(ownership)
        CREATE TABLE IF NOT EXISTS fanfare.meta (version int NOT NULL);
        INSERT INTO fanfare.meta SELECT \(version) WHERE NOT EXISTS (SELECT FROM fanfare.meta);
        \(change)
        -- One row for each job. Each transaction that writes to a job locks its row first.
        CREATE TABLE IF NOT EXISTS fanfare.jobs (
          job bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          name text NOT NULL UNIQUE,
          identity bigint NOT NULL,
          created timestamptz NOT NULL DEFAULT now(),
          fingerprint bigint, protocol int, rate bigint, state text, prover uuid, cutter uuid,
          cut_rows bigint NOT NULL DEFAULT 0, is_all_cut bool NOT NULL DEFAULT false,
          is_paused bool NOT NULL DEFAULT false, verdict text, orders bigint NOT NULL DEFAULT 0,
          outcome_epoch bigint NOT NULL DEFAULT 0, holds timestamptz[] NOT NULL DEFAULT '{}',
          ordinal bigint NOT NULL DEFAULT 0, timeline bigint NOT NULL DEFAULT 0,
          nonce bigint NOT NULL DEFAULT 0, is_open bool NOT NULL DEFAULT true,
          policy bigint, settings text,
          stopped_by uuid, stop_reason text
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS fanfare.workers (
          job bigint NOT NULL REFERENCES fanfare.jobs ON DELETE CASCADE, worker uuid NOT NULL,
          place bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL DEFAULT '',
          session bigint NOT NULL, host bigint NOT NULL,
          boot bigint NOT NULL, file bigint NOT NULL, nonce bigint NOT NULL, state text NOT NULL,
          beat bigint NOT NULL, share bigint NOT NULL, wants bigint NOT NULL, lines bigint NOT NULL,
          outcomes bigint[] NOT NULL, counter bigint NOT NULL, earlier_outcomes bigint[] NOT NULL,
          report text NOT NULL DEFAULT '', has_other_input bool NOT NULL,
          seen timestamptz NOT NULL DEFAULT now(),
          machine text NOT NULL DEFAULT '', totals bigint[] NOT NULL DEFAULT '{}',
          speed bigint NOT NULL DEFAULT 0, step_ms bigint NOT NULL DEFAULT 0, writes_off timestamptz,
          PRIMARY KEY (job, worker)
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS fanfare.cuts (
          job bigint NOT NULL REFERENCES fanfare.jobs ON DELETE CASCADE, first_row bigint NOT NULL,
          end_row bigint NOT NULL, sum bigint NOT NULL, is_last bool NOT NULL, input int NOT NULL,
          byte_offset bigint NOT NULL, line bigint NOT NULL, byte_count bigint NOT NULL,
          line_count bigint NOT NULL,
          PRIMARY KEY (job, first_row)
        );
        CREATE TABLE IF NOT EXISTS fanfare.ranges (
          job bigint NOT NULL REFERENCES fanfare.jobs ON DELETE CASCADE, key bigint NOT NULL,
          place bigint GENERATED ALWAYS AS IDENTITY, first_row bigint NOT NULL,
          end_row bigint NOT NULL, claimed bigint NOT NULL, granted bigint NOT NULL,
          lined bigint NOT NULL, owner uuid, session bigint NOT NULL, epoch bigint NOT NULL,
          only_rows int8multirange, is_done bool NOT NULL, ordinal bigint NOT NULL,
          PRIMARY KEY (job, key)
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS fanfare.grants (
          job bigint NOT NULL REFERENCES fanfare.jobs ON DELETE CASCADE, key bigint NOT NULL,
          epoch bigint NOT NULL, place bigint GENERATED ALWAYS AS IDENTITY,
          rows int8multirange NOT NULL, worker uuid NOT NULL, session bigint NOT NULL,
          lined bigint NOT NULL, is_in_doubt bool NOT NULL, is_settled bool NOT NULL,
          ordinal bigint NOT NULL,
          PRIMARY KEY (job, key, epoch)
        ) WITH (fillfactor = 50);
        CREATE INDEX IF NOT EXISTS ranges_open ON fanfare.ranges (job) WHERE NOT is_done;
        CREATE INDEX IF NOT EXISTS grants_open ON fanfare.grants (job) WHERE NOT is_settled;

        DO $$ BEGIN
          IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fanfare_worker') THEN
            CREATE ROLE fanfare_worker NOLOGIN;
          END IF;
          IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fanfare_viewer') THEN
            CREATE ROLE fanfare_viewer NOLOGIN;
          END IF;
        END $$;
        REVOKE ALL ON SCHEMA fanfare FROM PUBLIC;
        REVOKE ALL ON ALL TABLES IN SCHEMA fanfare FROM fanfare_worker, fanfare_viewer;
        GRANT USAGE ON SCHEMA fanfare TO fanfare_worker, fanfare_viewer;
        GRANT SELECT ON ALL TABLES IN SCHEMA fanfare TO fanfare_worker, fanfare_viewer;
        -- Workers delete no record, and change nothing that names one; the owner of the tables removes whole jobs.
        GRANT INSERT ON fanfare.jobs, fanfare.workers, fanfare.cuts, fanfare.ranges, fanfare.grants
          TO fanfare_worker;
        GRANT UPDATE (fingerprint, protocol, rate, state, prover, cutter, cut_rows, is_all_cut,
          is_paused, verdict, orders, outcome_epoch, holds, ordinal, timeline, nonce, is_open, policy,
          settings, stopped_by, stop_reason) ON fanfare.jobs
          TO fanfare_worker;
        GRANT UPDATE (name, report, session, host, boot, file, nonce, state, beat, share, wants,
          lines, outcomes, counter, earlier_outcomes, has_other_input, seen, machine, totals, speed,
          step_ms, writes_off) ON fanfare.workers TO fanfare_worker;
        GRANT UPDATE (end_row, claimed, granted, lined, owner, session, epoch, only_rows, is_done,
          ordinal) ON fanfare.ranges TO fanfare_worker;
        GRANT UPDATE (rows, worker, session, lined, is_in_doubt, is_settled, ordinal)
          ON fanfare.grants TO fanfare_worker;

        """
}
