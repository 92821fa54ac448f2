import CabinetBackend

extension SQLCore {
    /// Has tables of records show no fields any more, and removes what did.
    package func hideColumns() throws(BackendError) {
        try checkWritable()
        try pool.write { session throws(BackendError) in
            try settleLeft(session)
            try session.transaction(.writing(isSafe: true)) { () throws(BackendError) in
                guard try host.showsColumns(session.connection) else { return }
                let making = try ColumnMaking(session, commit: session.state.last)
                try making.removeAll()
                // All sessions look anew.
                var state = session.state
                state.directory += 1
                try state.write(to: session)
            }
        }
    }
}

extension ColumnMaking {
    /// Removes views, triggers and columns: a table is written once, however many columns it has.
    fileprivate func removeAll() throws(BackendError) {
        for view in views.values.sorted() {
            try session.connection.run("DROP VIEW IF EXISTS \(ShownName.quoted(view))")
        }
        for table in known.keys.inOrder()
        where session.tables.kindOfContent(table) == .record {
            let (name, former) = (SQLSchema.name(.record, table), "shown_\(table)")
            try session.connection.run(
                """
                DROP TRIGGER IF EXISTS \(name)_shown;
                ALTER TABLE \(name) RENAME TO \(former);
                \(SQLSchema.table(.record, table, session.host.words));
                INSERT INTO \(name) SELECT row, made, value FROM \(former) ORDER BY row;
                DROP TABLE \(former)
                """)
        }
        try session.connection.run("DROP TABLE shown")
    }
}
