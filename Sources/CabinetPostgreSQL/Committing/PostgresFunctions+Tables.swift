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
