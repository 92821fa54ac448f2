#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresFunctions {
        /// Defines the tables of a commit. Each has five numbers: kind, class number, class version, flags,
        /// and whether it is new.
        static let define = """
            CREATE FUNCTION @.define(p_number bigint, p_defined bigint[], p_definitions bigint[],
                p_names text[])
            RETURNS void LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE l_table bigint; l_first int;
            BEGIN
                FOR l_index IN 1 .. cardinality(p_defined) LOOP
                    l_table := p_defined[l_index];
                    l_first := (l_index - 1) * 5;
                    DELETE FROM @.tables t WHERE t.number = l_table AND t.since = p_number;
                    UPDATE @.tables t SET until = p_number
                        WHERE t.number = l_table AND t.until = \(SQLSchema.open);
                    INSERT INTO @.tables VALUES (l_table, p_number, \(SQLSchema.open),
                        p_definitions[l_first + 1], p_names[l_index], p_definitions[l_first + 2],
                        p_definitions[l_first + 3], p_definitions[l_first + 4], 0);
                    IF p_definitions[l_first + 5] <> 0 THEN
                        EXECUTE format(CASE p_definitions[l_first + 1]
                            WHEN \(TableKind.record.rawValue)
                            THEN 'CREATE TABLE @.r_%s (row bigint PRIMARY KEY, made bigint NOT NULL, '
                                'value bytea NOT NULL)'
                            ELSE 'CREATE TABLE @.o_%s (key bytea PRIMARY KEY NOT NULL, made bigint NOT NULL, '
                                'value bytea NOT NULL)' END, l_table);
                        UPDATE @.store s SET next_table = greatest(s.next_table, l_table + 1);
                    END IF;
                END LOOP;
            END $cabinet$
            """

        /// Gives the definition that a table has or will have, with the first of some rows if it is a new one of
        /// records. The number -1: there is no class number left; -2: no table number is.
        static let claim = """
            CREATE FUNCTION @.claim(p_name text, p_kind bigint, p_version bigint, p_flags bigint,
                p_patience bigint, p_rows bigint)
            RETURNS TABLE (r_number bigint, r_kind bigint, r_name text, r_class bigint, r_version bigint,
                r_flags bigint, r_first bigint) LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE
                l_folded text := lower(p_name COLLATE "C"); l_number bigint; l_class bigint := 0;
            BEGIN
                PERFORM set_config('lock_timeout', p_patience::text, true);
                PERFORM 1 FROM @.store FOR UPDATE;
                RETURN QUERY SELECT t.number, t.kind, t.name, t.class, t.version, t.flags, NULL::bigint
                    FROM @.tables t
                    WHERE t.until = \(SQLSchema.open) AND lower(t.name COLLATE "C") = l_folded;
                IF FOUND THEN RETURN; END IF;
                RETURN QUERY SELECT c.number, c.kind, c.name, c.class, c.version, c.flags, NULL::bigint
                    FROM @.claims c WHERE c.folded = l_folded
                    AND NOT EXISTS (SELECT FROM @.tables t WHERE t.number = c.number)
                    AND NOT EXISTS (SELECT FROM @.tables t WHERE t.until = \(SQLSchema.open)
                        AND t.kind = 1 AND c.kind = 1 AND t.class = c.class);
                IF FOUND THEN RETURN; END IF;
                IF p_kind = 1 THEN
                    SELECT min(g.n) INTO l_class FROM generate_series(0, 255) g(n) WHERE g.n NOT IN (
                        SELECT t.class FROM @.tables t WHERE t.until = \(SQLSchema.open) AND t.kind = 1
                        UNION ALL SELECT c.class FROM @.claims c WHERE c.kind = 1
                        AND c.folded <> l_folded
                        AND NOT EXISTS (SELECT FROM @.tables t WHERE t.number = c.number));
                    IF l_class IS NULL THEN
                        RETURN QUERY SELECT -1::bigint, p_kind, p_name, 0::bigint, 0::bigint, 0::bigint,
                            NULL::bigint;
                        RETURN;
                    END IF;
                END IF;
                IF p_kind = 2 AND p_flags & 1 <> 0 THEN
                    SELECT min(t.number) INTO l_number FROM @.tables t WHERE t.gone = 1 AND t.kind = 2
                        AND t.flags & 1 <> 0 AND NOT EXISTS (SELECT FROM @.tables u
                        WHERE u.number = t.number AND u.since > t.since);
                    DELETE FROM @.tables t WHERE t.number = l_number;
                    UPDATE @.store s SET directory = s.directory + 1 WHERE l_number IS NOT NULL;
                END IF;
                IF l_number IS NULL THEN
                    UPDATE @.store s SET next_table = s.next_table + 1 WHERE s.next_table <= 65535
                        RETURNING s.next_table - 1 INTO l_number;
                END IF;
                IF l_number IS NULL THEN
                    RETURN QUERY SELECT -2::bigint, p_kind, p_name, 0::bigint, 0::bigint, 0::bigint,
                        NULL::bigint;
                    RETURN;
                END IF;
                INSERT INTO @.claims VALUES (l_folded, l_number, p_kind, p_name, l_class, p_version, p_flags)
                    ON CONFLICT (folded) DO UPDATE SET number = excluded.number, kind = excluded.kind,
                    name = excluded.name, class = excluded.class, version = excluded.version,
                    flags = excluded.flags;
                RETURN QUERY SELECT l_number, p_kind, p_name, l_class, p_version, p_flags,
                    CASE p_kind WHEN 1 THEN @.reserve(l_number, p_rows) END;
            END $cabinet$
            """

        /// Notes the highest rows that a commit has put, and drops tables.
        static let finish = """
            CREATE FUNCTION @.finish(p_number bigint, p_used bigint[], p_highest bigint[],
                p_dropped bigint[])
            RETURNS void LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            BEGIN
                FOR l_index IN 1 .. cardinality(p_used) LOOP
                    INSERT INTO @.numbers AS n VALUES (p_used[l_index], 0, p_highest[l_index],
                        greatest(\(RowID.first.rawValue), p_highest[l_index] + 1))
                    ON CONFLICT (tbl) DO UPDATE SET highest = greatest(n.highest, excluded.highest),
                        next = greatest(n.next, excluded.next)
                    WHERE n.highest < excluded.highest OR n.next < excluded.next;
                END LOOP;
                INSERT INTO @.past_counts SELECT n.tbl, p_number, n.rows FROM @.numbers n
                    WHERE n.tbl = ANY (p_dropped) AND n.rows <> 0 ON CONFLICT DO NOTHING;
                UPDATE @.numbers n SET rows = 0 WHERE n.tbl = ANY (p_dropped) AND n.rows <> 0;
                UPDATE @.tables t SET until = p_number
                    WHERE t.number = ANY (p_dropped) AND t.until = \(SQLSchema.open);
            END $cabinet$
            """
    }
#endif
