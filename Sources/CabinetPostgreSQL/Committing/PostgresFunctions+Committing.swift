#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresFunctions {
        /// Where the store is: a number that a copy does not have, nor a standby that has become the primary. The
        /// path of a table's file is that of the database's directory, and a name that may change.
        private static let place = """
            (SELECT hashtextextended(concat_ws(' ', c.system_identifier, '@.store'::regclass::oid,
            regexp_replace(pg_relation_filepath('@.store'), '/[0-9]+$', ''),
            left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)), 0) FROM pg_control_system() c)
            """

        /// Notes a commit: what it has changed, that it was made, and whether its line begins. A line adds so much to
        /// the number of the tables that a session which knows them as of an earlier line, lost or not, has to
        /// read them again before the server makes a commit of it.
        ///
        /// The table `run` is one that a server empties which was not shut down in order: then it may have
        /// lost commits that were not synced.
        static let feed = """
            CREATE FUNCTION @.note_commit(p_number bigint, p_time bigint, p_author bigint, p_line bigint,
                p_is_safe boolean, p_parts int, p_size bigint, p_operations bytea, p_changes_tables int)
            RETURNS void LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE l_store @.store%ROWTYPE; l_place bigint; l_run bigint := 0; l_line bigint := 0;
            BEGIN
                SELECT * INTO l_store FROM @.store;
                l_place := \(place);
                IF NOT p_is_safe OR l_store.loose <> 0 THEN
                    SELECT r.number INTO l_run FROM @.run r;
                    IF l_run IS NULL THEN
                        INSERT INTO @.run VALUES (p_line | 1);
                        l_run := p_line | 1;
                    END IF;
                END IF;
                IF p_number = 1 OR l_place <> l_store.place
                    OR l_store.loose <> 0 AND l_store.loose <> l_run THEN
                    INSERT INTO @.lines VALUES (p_number, p_line);
                    l_line := \(PostgresLines.step);
                END IF;
                INSERT INTO @.commits VALUES (p_number, p_time, p_author, p_size,
                    CASE WHEN p_parts = 0 THEN p_operations END);
                IF p_parts > 0 THEN
                    INSERT INTO @.parts SELECT p_number, c.part, c.bytes FROM pg_temp.chunks c;
                    INSERT INTO @.parts VALUES (p_number, p_parts, p_operations);
                END IF;
                UPDATE @.store SET last = p_number, directory = directory + p_changes_tables + l_line,
                    feed_size = feed_size + p_size, place = l_place,
                    loose = CASE WHEN p_is_safe THEN 0 ELSE l_run END;
            END $cabinet$
            """

        /// Makes a commit, or says what is in its way. ``PostgresAnswer`` says what the codes mean.
        static let commit = """
            CREATE FUNCTION @.commit(p_session bigint, p_epoch bigint, p_token bigint, p_patience bigint,
                p_flags bigint, p_directory bigint, p_basis bigint, p_time bigint, p_author bigint,
                p_line bigint, p_parts int, p_total bigint, p_bytes bytea, p_own int, p_tail int,
                p_tables bigint[], p_table_flags int[], p_ends int[],
                p_place bigint[], p_length int[], p_value int[], p_size int[],
                p_sum_tables bigint[], p_sum_flags int[], p_sum_ends int[], p_sums bigint[],
                p_sum_places int[], p_sum_lengths int[], p_crcs bigint[],
                p_used bigint[], p_highest bigint[], p_dropped bigint[],
                p_defined bigint[], p_definitions bigint[], p_names text[])
            RETURNS TABLE (r_code int, r_table bigint, r_number bigint, r_key bytea)
            LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE
                l_store @.store%ROWTYPE; l_writer @.writers%ROWTYPE; l_chunk record; l_basis bigint;
                l_number bigint; l_found bigint := 0; l_count bigint; l_index int; l_table bigint;
                l_bytes bytea := ''; l_key bytea; l_value bytea; l_sum bigint; l_added bytea;
                l_changes_catalog boolean := false; l_places bigint[] := '{}'; l_values int[] := '{}'; l_sizes int[] := '{}';
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true),
                    set_config('random_page_cost', '1', true), set_config('jit', 'off', true),
                    -- COMMIT must not be cut while it waits for a standby: it would say that all is well.
                    set_config('statement_timeout', '0', true);
                IF p_flags & 1 = 0 THEN
                    PERFORM set_config('synchronous_commit', 'off', true);
                ELSIF current_setting('synchronous_commit') = 'off' THEN
                    PERFORM set_config('synchronous_commit', 'on', true);
                END IF;
                SELECT * INTO l_store FROM @.store FOR UPDATE;
                SELECT * INTO l_writer FROM @.writers w WHERE w.session = p_session;
                IF l_writer.epoch > p_epoch THEN
                    RETURN QUERY SELECT 9, 0::bigint, l_writer.epoch, NULL::bytea;
                    RETURN;
                END IF;
                IF l_store.directory <> p_directory THEN
                    RETURN QUERY SELECT 4, l_store.last, l_store.directory, NULL::bytea;
                    RETURN;
                END IF;
                IF p_basis >= 0 THEN
                    IF p_basis < l_store.oldest OR p_basis > greatest(l_store.last, l_store.oldest) THEN
                        RETURN QUERY SELECT 3, 0::bigint, l_store.oldest, NULL::bytea;
                        RETURN;
                    END IF;
                    IF p_basis < l_store.last THEN
                        IF p_flags & 4 <> 0 THEN
                            RETURN QUERY SELECT 7, 0::bigint, 0::bigint, NULL::bytea;
                            RETURN;
                        END IF;
                        l_basis := p_basis;
                    END IF;
                END IF;
                IF l_basis IS NOT NULL AND p_parts > 0 THEN
                    FOR l_chunk IN SELECT * FROM pg_temp.chunks c ORDER BY c.part LOOP
                        RETURN QUERY SELECT * FROM @.check_chunk(l_chunk.bytes || ''::bytea,
                            l_chunk.tables, l_chunk.flags, l_chunk.ends, l_chunk.place, l_chunk.length,
                            l_chunk.size, l_basis);
                        GET DIAGNOSTICS l_count = ROW_COUNT;
                        l_found := l_found + l_count;
                    END LOOP;
                END IF;
                IF l_basis IS NOT NULL OR p_flags & 16 <> 0 THEN
                    RETURN QUERY SELECT * FROM @.check_chunk(p_bytes, p_tables, p_table_flags, p_ends,
                        p_place, p_length, p_size, l_basis);
                    GET DIAGNOSTICS l_count = ROW_COUNT;
                    l_found := l_found + l_count;
                END IF;
                IF l_found > 0 THEN RETURN; END IF;
                l_index := 1;
                FOR l_turn IN 1 .. cardinality(p_sums) LOOP
                    IF l_turn > p_sum_ends[l_index] THEN l_index := l_index + 1; END IF;
                    l_table := p_sum_tables[l_index];
                    l_key := substr(p_bytes, p_sum_places[l_turn] + 1, p_sum_lengths[l_turn]);
                    l_value := NULL;
                    l_sum := p_sums[l_turn];
                    IF p_sum_flags[l_index] & 4 <> 0 THEN
                        EXECUTE format('SELECT t.value FROM @.o_%s t WHERE t.key = $1', l_table)
                            INTO l_value USING l_key;
                    END IF;
                    IF l_value IS NOT NULL THEN
                        IF octet_length(l_value) <> 12 THEN
                            RETURN QUERY SELECT 5, l_table, 0::bigint, NULL::bytea;
                            RETURN;
                        END IF;
                        l_sum := @.sum_of(l_value, l_sum);
                    END IF;
                    l_added := @.bytes_of(CASE l_sum WHEN 0 THEN 4 ELSE 3 END, 1) || @.bytes_of(l_table, 2)
                        || @.bytes_of(p_sum_lengths[l_turn], 4);
                    IF l_sum <> 0 THEN
                        l_value := @.bytes_of(l_sum, 8);
                        l_value := l_value || @.bytes_of(@.crc(p_crcs[l_turn], l_value), 4);
                        l_added := l_added || @.bytes_of(8, 4);
                    ELSE
                        l_value := '';
                    END IF;
                    l_places := l_places || (octet_length(l_bytes) + octet_length(l_added))::bigint;
                    l_bytes := l_bytes || l_added || l_key || l_value;
                    l_values := l_values || octet_length(l_bytes) - octet_length(l_value);
                    l_sizes := l_sizes || CASE l_sum WHEN 0 THEN -1 ELSE 12 END;
                END LOOP;
                IF p_flags & 2 <> 0 THEN
                    RETURN QUERY SELECT 8, 0::bigint, 0::bigint, NULL::bytea;
                    RETURN;
                END IF;
                IF p_tail = 0 AND p_parts = 0 AND cardinality(p_sums) = 0 THEN
                    RETURN QUERY SELECT 0, l_store.directory, l_store.last, NULL::bytea;
                    RETURN;
                END IF;
                l_number := l_store.last + 1;
                PERFORM @.define(l_number, p_defined, p_definitions, p_names);
                IF p_parts > 0 THEN
                    FOR l_chunk IN SELECT * FROM pg_temp.chunks c ORDER BY c.part LOOP
                        PERFORM @.apply_chunk(l_chunk.bytes || ''::bytea, l_chunk.tables, l_chunk.flags,
                            l_chunk.ends, l_chunk.place, l_chunk.length, l_chunk.value, l_chunk.size,
                            l_number);
                    END LOOP;
                END IF;
                PERFORM @.apply_chunk(p_bytes, p_tables, p_table_flags, p_ends, p_place, p_length, p_value,
                    p_size, l_number);
                PERFORM @.apply_chunk(l_bytes, p_sum_tables, p_sum_flags, p_sum_ends, l_places,
                    p_sum_lengths, l_values, l_sizes, l_number);
                PERFORM @.finish(l_number, p_used, p_highest, p_dropped);
                l_bytes := substr(p_bytes, 1, p_own) || l_bytes || substr(p_bytes, p_own + 1, p_tail - p_own);
                PERFORM @.note_commit(l_number, p_time, p_author, p_line, p_flags & 1 <> 0, p_parts,
                    p_total + octet_length(l_bytes), l_bytes,
                    CASE WHEN cardinality(p_defined) + cardinality(p_dropped) > 0 THEN 1 ELSE 0 END);
                INSERT INTO @.writers AS w VALUES (p_session, p_epoch, p_token, l_number, p_time)
                    ON CONFLICT (session) DO UPDATE SET epoch = excluded.epoch, token = excluded.token,
                    number = excluded.number, time = excluded.time;
                IF 0 = ANY (p_sum_tables)
                    OR EXISTS (SELECT FROM unnest(p_tables, p_table_flags) u(number, flags)
                        WHERE u.number = 0 AND u.flags & 32 <> 0) THEN
                    l_changes_catalog := true;
                ELSIF p_parts > 0 THEN
                    SELECT bool_or(0 = ANY (c.tables)) INTO l_changes_catalog FROM pg_temp.chunks c;
                END IF;
                IF l_changes_catalog THEN UPDATE @.store SET catalog = l_number; END IF;
                RETURN QUERY SELECT 0, s.directory, s.last, NULL::bytea FROM @.store s
                    UNION ALL SELECT 10, s.feed_size, s.oldest, NULL FROM @.store s
                    UNION ALL SELECT 11, s.catalog, l_store.catalog, NULL FROM @.store s
                    UNION ALL SELECT 12, n.tbl, n.rows, NULL FROM @.numbers n
                        WHERE n.tbl = ANY (p_tables || p_sum_tables)
                    UNION ALL SELECT 13, 0, count(*), NULL
                        FROM (SELECT FROM @.sessions LIMIT \(PostgresListener.mostSessions + 1)) s;
            END $cabinet$
            """

        /// Fences a session off: a commit of it that is still under way, and was not made, never will be. Gives
        /// the session's new epoch, and the number of the commit with a token; 0: it was not made.
        static let settle = """
            CREATE FUNCTION @.settle(p_session bigint, p_token bigint, p_patience bigint, p_time bigint)
            RETURNS TABLE (r_epoch bigint, r_number bigint)
            LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true);
                IF current_setting('synchronous_commit') = 'off' THEN
                    PERFORM set_config('synchronous_commit', 'on', true);
                END IF;
                PERFORM 1 FROM @.store FOR UPDATE;
                INSERT INTO @.writers AS w VALUES (p_session, 1, 0, 0, p_time)
                    ON CONFLICT (session) DO UPDATE SET epoch = w.epoch + 1;
                RETURN QUERY SELECT w.epoch, CASE w.token WHEN p_token THEN w.number ELSE 0 END
                    FROM @.writers w WHERE w.session = p_session;
            END $cabinet$
            """

        /// Gives rows out: the first one; NULL if there are not as many.
        static let reserve = """
            CREATE FUNCTION @.reserve(p_table bigint, p_count bigint) RETURNS bigint
            LANGUAGE sql AS $cabinet$
                INSERT INTO @.numbers AS n VALUES (p_table, 0, 0, \(RowID.first.rawValue) + p_count)
                ON CONFLICT (tbl) DO UPDATE SET next = n.next + p_count
                WHERE n.next + p_count <= \(RowID.max.rawValue)
                RETURNING n.next - p_count
            $cabinet$
            """
    }
#endif
