#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// The functions of a store in its schema, by which a commit takes one way to the server: nobody waits for
    /// a program while the store is locked.
    ///
    /// `@.` stands for the schema. Parameters begin with `p_`, variables with `l_`, columns of answers with
    /// `r_`, so that nothing is taken for a column of a table.
    enum PostgresFunctions {
        /// The pieces of SQL that make them.
        /// - Parameter schema: its name, in quotes.
        static func making(_ schema: String) -> [String] {
            [
                bytes, number, sum, check, apply, define, finish, feed, commit, settle, reserve,
                claim, enter, giveUp, trimFeed, claimWork,
            ].map { text($0, schema) }
        }

        static func text(_ template: String, _ schema: String) -> String {
            template.replacing("@.", with: schema + ".")
        }

        // MARK: Bytes

        /// A number as bytes, the lowest first.
        private static let bytes = """
            CREATE FUNCTION @.bytes_of(p_number bigint, p_count int) RETURNS bytea
            LANGUAGE plpgsql IMMUTABLE AS $cabinet$
            DECLARE l_bytes bytea := ''; l_sent bytea := int8send(p_number);
            BEGIN
                FOR l_index IN 1 .. p_count LOOP
                    l_bytes := l_bytes || substr(l_sent, 9 - l_index, 1);
                END LOOP;
                RETURN l_bytes;
            END $cabinet$
            """

        /// The sum of a number, as it stands in 8 bytes, and another one. It wraps around.
        private static let number = """
            CREATE FUNCTION @.sum_of(p_bytes bytea, p_amount bigint) RETURNS bigint
            LANGUAGE plpgsql IMMUTABLE AS $cabinet$
            DECLARE l_hex text := ''; l_sum numeric;
            BEGIN
                FOR l_index IN 0 .. 7 LOOP
                    l_hex := lpad(to_hex(get_byte(p_bytes, l_index)), 2, '0') || l_hex;
                END LOOP;
                l_sum := ('x' || l_hex)::bit(64)::bigint::numeric + p_amount;
                IF l_sum > 9223372036854775807 THEN l_sum := l_sum - 18446744073709551616; END IF;
                IF l_sum < -9223372036854775808 THEN l_sum := l_sum + 18446744073709551616; END IF;
                RETURN l_sum::bigint;
            END $cabinet$
            """

        /// The CRC-32C of bytes behind those whose CRC is given.
        private static let sum = """
            CREATE FUNCTION @.crc(p_sum bigint, p_bytes bytea) RETURNS bigint
            LANGUAGE plpgsql IMMUTABLE AS $cabinet$
            DECLARE
                l_sum bigint := p_sum # 4294967295;
                l_table bigint[] := '{\(sums.map(String.init).joined(separator: ","))}';
            BEGIN
                FOR l_index IN 0 .. octet_length(p_bytes) - 1 LOOP
                    l_sum := (l_sum >> 8)
                        # l_table[((l_sum # get_byte(p_bytes, l_index)) & 255) + 1];
                END LOOP;
                RETURN l_sum # 4294967295;
            END $cabinet$
            """

        /// For each byte, the remainder by the polynomial of CRC-32C (RFC 3720), lowest bit first.
        private static let sums: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { sum, _ in
                sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78
            }
        }

        // MARK: What may conflict

        /// Gives the rows and keys of a chunk that are not as the batch requires. See ``PostgresChunk`` for
        /// what the numbers mean. `p_basis` is NULL if nothing was committed after the basis.
        private static let check = """
            CREATE FUNCTION @.check_chunk(p_bytes bytea, p_tables bigint[], p_flags int[], p_ends int[],
                p_place bigint[], p_length int[], p_size int[], p_basis bigint)
            RETURNS TABLE (r_code int, r_table bigint, r_number bigint, r_key bytea)
            LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE l_first int := 1; l_last int; l_flags int;
            BEGIN
                FOR l_index IN 1 .. cardinality(p_tables) LOOP
                    l_last := p_ends[l_index];
                    l_flags := p_flags[l_index];
                    IF p_basis IS NULL AND l_flags & 16 = 0 THEN
                        NULL;
                    ELSIF l_flags & 1 = 0 THEN
                        RETURN QUERY EXECUTE format('SELECT DISTINCT 1, %s::bigint, u.place, NULL::bytea '
                            'FROM unnest($1, $2) u(place, size) '
                            || CASE WHEN l_flags & 2 = 0 THEN 'WHERE u.size = -5' ELSE
                            'LEFT JOIN @.r_%1$s t ON t.row = u.place WHERE CASE u.size WHEN -2 THEN false '
                            'WHEN -4 THEN $4 AND t.row IS NOT NULL WHEN -5 THEN NOT $4 OR t.row IS NULL '
                            'ELSE $3 IS NOT NULL AND (t.made > $3 OR $5 AND t.row IS NOT NULL OR EXISTS ('
                            'SELECT FROM @.past_rows p WHERE p.tbl = %1$s AND p.row = u.place '
                            'AND p.until > $3)) END' END, p_tables[l_index])
                        USING p_place[l_first:l_last], p_size[l_first:l_last], p_basis,
                            l_flags & 4 <> 0, l_flags & 8 <> 0;
                    ELSE
                        RETURN QUERY EXECUTE format('SELECT DISTINCT 2, %s::bigint, NULL::bigint, u.place '
                            'FROM (SELECT substr($6, v.place::int + 1, v.length) AS place, v.size '
                            'FROM unnest($1, $7, $2) v(place, length, size)) u '
                            || CASE WHEN l_flags & 2 = 0 THEN 'WHERE u.size = -5' ELSE
                            'LEFT JOIN @.o_%1$s t ON t.key = u.place WHERE CASE u.size WHEN -2 THEN false '
                            'WHEN -4 THEN $4 AND t.key IS NOT NULL WHEN -5 THEN NOT $4 OR t.key IS NULL '
                            'ELSE $3 IS NOT NULL AND (t.made > $3 OR $5 AND t.key IS NOT NULL OR EXISTS ('
                            'SELECT FROM @.past_keys p WHERE p.tbl = %1$s AND p.key = u.place '
                            'AND p.until > $3)) END' END, p_tables[l_index])
                        USING p_place[l_first:l_last], p_size[l_first:l_last], p_basis,
                            l_flags & 4 <> 0, l_flags & 8 <> 0, p_bytes, p_length[l_first:l_last];
                    END IF;
                    l_first := l_last + 1;
                END LOOP;
            END $cabinet$
            """

        // MARK: Changes

        /// Makes the changes of a chunk, and keeps what they replace. Of several changes of a row or key in
        /// one chunk the last one counts; of several chunks the first one finds what was before the commit.
        private static let apply = """
            CREATE FUNCTION @.apply_chunk(p_bytes bytea, p_tables bigint[], p_flags int[], p_ends int[],
                p_place bigint[], p_length int[], p_value int[], p_size int[], p_number bigint)
            RETURNS void LANGUAGE plpgsql AS $cabinet$
            #variable_conflict use_column
            DECLARE
                l_first int; l_last int := 0; l_added bigint; l_table bigint; l_text text; l_put text;
                l_name text; l_column text; l_source text; l_place text;
            BEGIN
                FOR l_index IN 1 .. cardinality(p_tables) LOOP
                    l_first := l_last + 1;
                    l_last := p_ends[l_index];
                    CONTINUE WHEN p_flags[l_index] & 32 = 0;
                    l_table := p_tables[l_index];
                    IF p_flags[l_index] & 1 = 0 THEN
                        l_name := 'r_' || l_table;
                        l_column := 'row';
                        l_source := 'unnest($2, $4, $5) WITH ORDINALITY u(place, start, size, turn)';
                        l_place := '($2)[%s]';
                    ELSE
                        l_name := 'o_' || l_table;
                        l_column := 'key';
                        l_source := '(SELECT substr($1, v.place::int + 1, v.length) AS place, v.start, v.size, '
                            'v.turn FROM unnest($2, $3, $4, $5) '
                            'WITH ORDINALITY v(place, length, start, size, turn)) u';
                        l_place := 'substr($1, ($2)[%1$s]::int + 1, ($3)[%1$s])';
                    END IF;
                    l_added := 0;
                    -- Where the table has nothing from the first to the last of a run, all of it is new.
                    IF p_flags[l_index] & 64 <> 0 AND l_last - l_first >= 1000 THEN
                        EXECUTE format('INSERT INTO @.%1$s SELECT u.place, $6, '
                            'substr($1, u.start + 1, u.size) FROM %3$s WHERE COALESCE((SELECT t.%2$s '
                            'FROM @.%1$s t WHERE t.%2$s >= %4$s ORDER BY t.%2$s LIMIT 1) > %5$s, true)',
                            l_name, l_column, l_source, format(l_place, 1),
                            format(l_place, l_last - l_first + 1))
                        USING p_bytes, p_place[l_first:l_last], p_length[l_first:l_last],
                            p_value[l_first:l_last], p_size[l_first:l_last], p_number;
                        GET DIAGNOSTICS l_added = ROW_COUNT;
                    END IF;
                    IF l_added = 0 THEN
                        -- One statement is soon planned. Of many rows, new ones take half the time alone.
                        IF l_last - l_first < 1000 THEN
                            l_put := 'INSERT INTO @.%1$s SELECT place, $6, value FROM c '
                                'WHERE value IS NOT NULL ON CONFLICT (%4$s) '
                                'DO UPDATE SET made = excluded.made, value = excluded.value';
                        ELSE
                            l_put := 'INSERT INTO @.%1$s SELECT place, $6, value FROM c '
                                'WHERE value IS NOT NULL AND before IS NULL), changed AS (UPDATE @.%1$s t '
                                'SET made = $6, value = c.value FROM c WHERE t.%4$s = c.place '
                                'AND c.value IS NOT NULL AND c.before IS NOT NULL';
                        END IF;
                        l_text := 'WITH c AS MATERIALIZED (SELECT x.place, x.value, t.made AS before, '
                            't.value AS replaced FROM (SELECT DISTINCT ON (u.place) u.place, '
                            'CASE WHEN u.size >= 0 THEN substr($1, u.start + 1, u.size) END AS value FROM %3$s '
                            'WHERE u.size >= -2 ORDER BY u.place, u.turn DESC) x '
                            'LEFT JOIN @.%1$s t ON t.%4$s = x.place), '
                            'kept AS (INSERT INTO @.past_%4$ss SELECT %2$s, place, $6, before, replaced '
                            'FROM c WHERE before < $6 ON CONFLICT DO NOTHING), '
                            'marked AS (INSERT INTO @.past_%4$ss SELECT %2$s, place, $6, $6, NULL FROM c '
                            'WHERE value IS NULL AND (before IS NULL OR before >= $6) ON CONFLICT DO NOTHING), '
                            'gone AS (DELETE FROM @.%1$s t USING c WHERE t.%4$s = c.place '
                            'AND c.value IS NULL AND c.before IS NOT NULL), '
                            'put AS (' || l_put || ') SELECT count(value) - count(before) FROM c';
                        EXECUTE format(l_text, l_name, l_table, l_source, l_column) INTO l_added
                        USING p_bytes, p_place[l_first:l_last], p_length[l_first:l_last],
                            p_value[l_first:l_last], p_size[l_first:l_last], p_number;
                    END IF;
                    IF l_added <> 0 THEN
                        INSERT INTO @.past_counts VALUES (l_table, p_number, COALESCE(
                            (SELECT n.rows FROM @.numbers n WHERE n.tbl = l_table), 0))
                            ON CONFLICT DO NOTHING;
                        INSERT INTO @.numbers AS n VALUES (l_table, l_added, 0, \(RowID.first.rawValue))
                            ON CONFLICT (tbl) DO UPDATE SET rows = n.rows + excluded.rows;
                    END IF;
                END LOOP;
            END $cabinet$
            """
    }
#endif
