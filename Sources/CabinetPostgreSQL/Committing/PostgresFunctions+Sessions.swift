#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// What sessions do besides commits, each in one way to the server: none waits for a program while the store
    /// is locked.
    extension PostgresFunctions {
        /// Puts a session on the list, with what it holds, and takes those off that have ended. One that is
        /// alone gives numbers out again that never came to use.
        static let enter = """
            CREATE FUNCTION @.enter(p_session bigint, p_realm text, p_process bigint, p_began bigint,
                p_ended bigint[], p_writes bigint, p_patience bigint, p_hold bigint)
            RETURNS void LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true);
                -- A session that writes stays known after a crash: else its rows would be given out again.
                IF p_writes = 0 THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
                PERFORM 1 FROM @.store FOR UPDATE;
                DELETE FROM @.work w WHERE w.session = ANY (p_ended);
                DELETE FROM @.sessions s WHERE s.id = ANY (p_ended);
                DELETE FROM @.writers w WHERE w.session = ANY (p_ended)
                    OR w.time < extract(epoch FROM now() - interval '30 days') * 1000000;
                IF p_writes <> 0 AND NOT EXISTS (SELECT FROM @.sessions s WHERE s.id <> p_session) THEN
                    DELETE FROM @.claims;
                    UPDATE @.numbers n SET next = greatest(n.highest + 1, \(RowID.first.rawValue));
                    UPDATE @.store SET next_table = (SELECT COALESCE(max(t.number) + 1,
                        \(TableNumber.firstFree.rawValue)) FROM @.tables t);
                END IF;
                INSERT INTO @.sessions AS s (id, realm, process, began, beat, hold)
                    VALUES (p_session, p_realm, p_process, p_began, 0, NULLIF(p_hold, -1))
                    ON CONFLICT (id) DO UPDATE SET beat = s.beat + 1, hold = excluded.hold;
            END $cabinet$
            """

        /// Gives up what was before a commit, as far as no session holds it that gives signs of life, and removes
        /// what tables hold that were dropped until then. Sessions count as ended or silent if they have given no
        /// sign of life since that beat. Gives the oldest commit whose state is known.
        static let giveUp = """
            CREATE FUNCTION @.give_up(p_session bigint, p_commit bigint, p_settled bigint,
                p_ended bigint[], p_last_beats bigint[], p_silent bigint[], p_beats bigint[],
                p_patience bigint)
            RETURNS bigint LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE
                l_store @.store%ROWTYPE; l_table record; l_commit bigint := p_commit;
                l_dropped bigint := 0; l_gone bigint[];
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true),
                    set_config('synchronous_commit', 'off', true);
                SELECT * INTO l_store FROM @.store FOR UPDATE;
                WITH gone AS (DELETE FROM @.sessions s USING unnest(p_ended, p_last_beats) u(id, beat)
                    WHERE s.id = u.id AND s.beat = u.beat RETURNING s.id)
                    SELECT array_agg(g.id) INTO l_gone FROM gone g;
                DELETE FROM @.work w WHERE w.session = ANY (l_gone);
                -- One that only sleeps goes on with the rows that it has reserved.
                IF l_gone IS NOT NULL THEN
                    UPDATE @.numbers n SET highest = n.next - 1 WHERE n.next - 1 > n.highest;
                END IF;
                IF EXISTS (SELECT FROM @.sessions s WHERE s.id <> p_session) THEN
                    l_commit := least(l_commit, p_settled);
                END IF;
                SELECT least(l_commit, min(s.hold)) INTO l_commit FROM @.sessions s
                    WHERE s.id <> p_session AND NOT EXISTS (
                        SELECT FROM unnest(p_silent, p_beats) u(id, beat)
                        WHERE u.id = s.id AND u.beat = s.beat);
                IF l_commit <= l_store.oldest THEN RETURN l_store.oldest; END IF;
                FOR l_table IN SELECT t.number, t.kind FROM @.tables t
                    WHERE t.until <= l_commit AND t.gone = 0 AND NOT EXISTS (
                        SELECT FROM @.tables u WHERE u.number = t.number AND u.since > t.since)
                LOOP
                    EXECUTE format('DROP TABLE @.%s_%s', CASE l_table.kind
                        WHEN \(TableKind.record.rawValue) THEN 'r' ELSE 'o' END, l_table.number);
                    UPDATE @.tables t SET gone = 1 WHERE t.number = l_table.number;
                    DELETE FROM @.numbers n WHERE n.tbl = l_table.number;
                    DELETE FROM @.tables t WHERE t.number = l_table.number AND t.until < (
                        SELECT max(u.until) FROM @.tables u WHERE u.number = t.number);
                    l_dropped := 1;
                END LOOP;
                UPDATE @.store SET oldest = l_commit, directory = directory + l_dropped;
                RETURN l_commit;
            END $cabinet$
            """

        /// Gives up the oldest commits of the feed until three quarters of a limit are left, but for those that
        /// names need: each has a position, and so many bytes after it that it may keep. `false`: the catalog,
        /// which has the names, has changed since the commit that they are as of.
        static let trimFeed = """
            CREATE FUNCTION @.trim_feed(p_limit bigint, p_catalog bigint, p_positions bigint[],
                p_limits bigint[], p_patience bigint)
            RETURNS boolean LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE l_store @.store%ROWTYPE; l_needed bigint; l_last bigint; l_size bigint;
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true),
                    set_config('synchronous_commit', 'off', true);
                SELECT * INTO l_store FROM @.store FOR UPDATE;
                IF l_store.catalog <> p_catalog THEN RETURN false; END IF;
                SELECT least(l_store.last, min(u.number)) INTO l_needed
                    FROM unnest(p_positions, p_limits) u(number, most)
                    WHERE u.number >= l_store.feed_oldest AND u.most >= (
                        SELECT COALESCE(sum(c.size), 0) FROM @.commits c WHERE c.number > u.number);
                SELECT max(k.number), sum(k.size) INTO l_last, l_size FROM (
                    SELECT c.number, c.size, sum(c.size) OVER (ORDER BY c.number) - c.size AS before
                    FROM @.commits c WHERE c.number <= l_needed) k
                    WHERE l_store.feed_size - k.before > p_limit * 3 / 4;
                IF l_last IS NULL OR l_store.feed_size <= p_limit THEN RETURN true; END IF;
                DELETE FROM @.commits c WHERE c.number <= l_last;
                DELETE FROM @.parts p WHERE p.number <= l_last;
                UPDATE @.store SET feed_oldest = l_last, feed_size = feed_size - l_size;
                RETURN true;
            END $cabinet$
            """

        /// Claims work, unless another session has it than one that has ended, and has given no sign of life
        /// since a beat. Gives that session, as the list has it; nothing if the claim is granted.
        static let claimWork = """
            CREATE FUNCTION @.claim_work(p_name text, p_session bigint, p_ended bigint, p_beat bigint,
                p_patience bigint)
            RETURNS SETOF @.sessions LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true),
                    set_config('synchronous_commit', 'off', true);
                PERFORM 1 FROM @.store FOR UPDATE;
                RETURN QUERY SELECT s.* FROM @.work w JOIN @.sessions s ON s.id = w.session
                    WHERE w.name = p_name AND NOT (s.id = p_ended AND s.beat = p_beat);
                IF FOUND THEN RETURN; END IF;
                INSERT INTO @.work VALUES (p_name, p_session)
                    ON CONFLICT (name) DO UPDATE SET session = excluded.session;
            END $cabinet$
            """
    }
#endif
