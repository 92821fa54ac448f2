import CabinetTestSupport

/// What a faulty engine does wrong, and the rules that must notice.
enum Fault: String, CaseIterable, Sendable {
    case losesWrites, losesDeletes, keepsFirstValue, refusesMissingDeletes, remembersDeletions
    case reversesBatches, mixesTables, shortensRows, losesEmptyValues, truncatesValues
    case endsValuesAtZero, endsKeysAtZero, appendsToBuffer, leavesBuffer, lendsMemory
    case appliesOneByOne, givesUpAfterRefusal, countsEmptyBatches, constantNumber
    case commitsDiscarded, showsUnfinished, oneBatchAtATime, losesChunks, commitsChunksEarly
    case hurries, keepsChunks, losesNotes, endsAtNotes
    case listsBackwards, definesLate, definesEarly, redefinitionEmpties, losesDrops, losesFlags
    case reusesTables, countsTablesItself, throwsForUnknown, definesOnDemand, skipsWrongKinds
    case acceptsAnyName, neverRenames, rowsBeginAtOne, reusesRows, forgetsHighest
    case skipsARow, leavesRun, startsAgain, oneRun, repeatsChanged, sharesOneWalk, walksInTable
    case ordersByLength, ignoresDescending, includesUpperEnd, repeatsLastKey, waitsForBatches
    case delaysCommits, startsWithTable, ignoresClosing, closesOnce, syncNeedsQuiet, forgets
    case sharesIdentity, changesIdentity, lacksIdentity, sortsKeys, presentsAll, forgetsOutcomes
    case lagsBehind, deniesFeatures, sortsRows, ignoresLimits, seeksBehind, countsWholeTables
    case mistakesRows, losesEntriesToRows
    case cutsKeys, claimsAnew, remembersClaims, sharesClassNumbers
    case ignoresRequirements, skipsEmptyDemands, ignoresBases, ignoresLastBases, forgivesOldBases
    case putsAdditions, forgivesAdditions
    case announcesEarly, announcesNested, announcesTwice, ignoresCancelling
    case losesFeedDeletes, endsFeed, feedSkips, sharesLines, losesLines, drawsLinesAnew
    case losesNamesOfReaders, grantsAllWork, losesBlindDeletes, seesBlindDeletes, erasesNothing
    case thaws, thawsWalks, sharesSnapshots, ranksKeysItself, countsPositionsFromOne
    case overlooksOthers, tellsOwnCommits, givesOutForItself, keepsWorkToTheEnd

    /// The rules about one writer that this fault must break, by name.
    var breaksAlone: [String] {
        switch self {
        case .losesWrites:
            [
                "a row comes back as it was put", "a batch changes many tables at once",
                "the catalog and the named buffers are always there",
                "a cancelled record leaves no trace",
            ]
        case .losesDeletes:
            [
                "a deleted row is gone", "a table is what a thousand random commits made of it",
                "a key is replaced and deleted like a row",
                "an ordered table is what random commits made of it",
                "a name is replaced and deleted like a row",
            ]
        case .keepsFirstValue: ["a row that is put again is replaced", "runs come among others"]
        case .refusesMissingDeletes: ["deleting a row that is not there is no mistake"]
        case .remembersDeletions: ["a row may be put again after its deletion"]
        case .reversesBatches: ["the last change of a row in a batch counts"]
        case .mixesTables:
            [
                "rows of one table are not those of another",
                "catalog and named buffers are two tables",
            ]
        case .shortensRows: ["rows may lie far apart"]
        case .losesEmptyValues:
            ["an empty value is a value", "an entry's key and value may be empty or long"]
        case .truncatesValues:
            [
                "a value of any size comes back byte for byte",
                "reads of several threads are answered while others commit",
            ]
        case .endsValuesAtZero: ["a value may hold any bytes"]
        case .endsKeysAtZero: ["a name may be any bytes"]
        case .appendsToBuffer: ["reading replaces what the buffer held"]
        case .leavesBuffer: ["reading what is not there empties the buffer"]
        case .lendsMemory: ["a buffer that was read into is the reader's own"]
        case .appliesOneByOne:
            [
                "a batch that cannot be applied changes nothing",
                "a definition in a refused batch does not exist",
                "a change of a table in a refused batch is taken back",
                "who sees one change of a batch sees all of it",
            ]
        case .givesUpAfterRefusal: ["a refused batch does not stop the next one"]
        case .countsEmptyBatches:
            ["an empty batch changes nothing and gives the last commit's number"]
        case .constantNumber:
            [
                "commit numbers grow",
                "commits of several threads all happen, each with its own number",
            ]
        case .commitsDiscarded: ["a discarded batch changes nothing"]
        case .showsUnfinished: ["a batch is not seen before it is committed"]
        case .keepsChunks: ["a committed batch that was emptied serves the next commits"]
        case .oneBatchAtATime: ["two batches may be written at the same time"]
        case .losesChunks:
            [
                "a batch of many chunks is one commit",
                "a table defined in a batch's first chunk serves its last",
                "a second half-written batch waits, is refused, or is kept apart",
                "batches of many chunks on several threads all happen",
            ]
        case .commitsChunksEarly:
            [
                "a batch discarded half-way changes nothing",
                "a batch of many chunks that fails at its end changes nothing",
            ]
        case .losesNotes:
            [
                "a batch of notes alone is a commit of its own",
                "a first commit may hold notes alone",
            ]
        case .endsAtNotes:
            [
                "notes among the changes of a batch change no table",
                "notes in every chunk of a batch leave it one commit",
            ]
        case .hurries: ["what is done meanwhile is done once, and only if there is a commit"]
        case .listsBackwards: ["tables are listed by number, with all that was said of them"]
        case .definesLate: ["a table may be used in the batch that defines it"]
        case .definesEarly: ["a table is there between its definition and its drop"]
        case .redefinitionEmpties: ["a table that is defined anew keeps what it holds"]
        case .losesDrops: ["a dropped table is gone with all it held"]
        case .losesFlags: ["tables keep flags that no engine knows"]
        case .reusesTables:
            [
                "the number of a dropped table is never used again",
                "a table that gets a dropped one's number shows nothing of it",
                "table numbers begin at the first free one and are given out once",
                "table numbers run out with an error",
            ]
        case .countsTablesItself: ["a table number that was defined is not given out"]
        case .throwsForUnknown: ["a table that was never defined reads as an empty one"]
        case .definesOnDemand: ["a batch may write to defined tables alone"]
        case .skipsWrongKinds: ["a table is of one kind for ever"]
        case .acceptsAnyName:
            [
                "two tables never share a name, letter case aside",
                "two tables of one batch never share a name",
                "a table may not be renamed to another's name",
                "what cannot name a file cannot name a table",
            ]
        case .neverRenames:
            [
                "a table may change the letter case of its own name",
                "a name that is set free may be taken",
            ]
        case .forgetsHighest: ["the highest row is known"]
        case .rowsBeginAtOne:
            [
                "rows begin at the first row and follow each other",
                "rows may be reserved before their table is defined",
            ]
        case .reusesRows:
            [
                "a committed row is never given out again",
                "reserved rows are unique across threads",
                "rows run out with an error that takes none",
            ]
        case .skipsARow: ["a walk meets each row once, with its value"]
        case .leavesRun: ["a walk over an empty table ends at once"]
        case .startsAgain: ["a walk that has ended stays ended"]
        case .oneRun: ["a run holds about 256 KiB"]
        case .repeatsChanged:
            [
                "a walk in the middle of which rows grow meets each once",
                "a walk in the middle of which rows come and go meets each once",
                "a walk goes on while other threads commit",
            ]
        case .sharesOneWalk:
            [
                "several walks at once do not disturb each other",
                "a walk inside a walk meets all rows", "a walk may be left at any time",
                "several walks over keys at once do not disturb each other",
            ]
        case .waitsForBatches:
            ["who reads ahead does not wait for a batch that is being written"]
        case .walksInTable: ["a walk may go on on another thread"]
        case .ordersByLength: ["keys come in the order of their bytes"]
        case .ignoresDescending: ["descending is the reverse of ascending"]
        case .includesUpperEnd:
            [
                "a range has its lower end and not its upper one",
                "a prefix finds the keys that begin with it",
            ]
        case .repeatsLastKey:
            [
                "a walk over many keys resumes where it was, both ways",
                "a walk over keys goes on while keys come and go, both ways",
                "a walk over names meets each once",
            ]
        case .delaysCommits: ["a commit that has returned is seen by every thread"]
        case .startsWithTable: ["a new store holds nothing"]
        case .ignoresClosing:
            [
                "after closing every call says so",
                "a batch that is being written when the store closes is refused",
                "a frozen reader of a store that was closed says so",
            ]
        case .closesOnce: ["closing again does nothing"]
        case .syncNeedsQuiet: ["sync may be called at any time"]
        case .sharesIdentity, .lacksIdentity: ["two stores have two numbers, neither of them 0"]
        case .lagsBehind: ["the last commit is the one that was made last"]
        case .deniesFeatures: ["an engine has the optional parts that it says it has"]
        case .sortsKeys: ["many keys come in the order in which they are asked for"]
        case .forgetsOutcomes: ["what became of a commit whose answer was lost can be asked"]
        case .presentsAll: ["rows are told to be there without their values"]
        case .sortsRows: ["many rows come in the order in which they are asked for"]
        case .ignoresLimits: ["a walk over keys gives no more entries than its limit"]
        case .mistakesRows:
            ["a walk over the rows of entries gives the rows that the entries end with"]
        case .losesEntriesToRows: ["a walk goes on from entries to their rows, and back"]
        case .seeksBehind: ["a walk goes on at the key that it is sent to, both ways"]
        case .ranksKeysItself, .countsPositionsFromOne:
            ["a key's rank is its position in a walk, also after deletes"]
        case .countsWholeTables:
            [
                "keys of a range are counted as a walk counts them",
                "counting stops at a limit, or goes on",
            ]
        case .cutsKeys: ["an ordered table takes keys up to its limit and refuses longer ones"]
        case .claimsAnew:
            [
                "a claim gives the table that is there, or one that is kept for it",
                "a claim is refused if a table of another kind has the name",
                "claims of many threads give one definition for a name",
                "class numbers run out with an error",
            ]
        case .remembersClaims: ["a claim after a drop gives a new table"]
        case .sharesClassNumbers: ["two tables never share a class number"]
        case .ignoresRequirements:
            [
                "a batch happens only if what it requires to be absent is absent",
                "of many threads that require one row to be absent, one puts it",
            ]
        case .skipsEmptyDemands: ["a batch that changes nothing may require something"]
        case .ignoresBases:
            [
                "a batch conflicts with what was changed after its basis",
                "a batch may require that what it read is unchanged",
                "a commit that makes a table has changed what it deletes there",
                "a batch of many chunks conflicts in each of them",
                "a batch conflicts with tables that came or went",
                "writers who each add to what they have read lose nothing",
            ]
        case .ignoresLastBases: ["a batch may require that no commit came after its basis"]
        case .forgivesOldBases:
            ["of a basis that no reader holds, the last commit alone serves"]
        case .putsAdditions:
            [
                "additions sum up, and a key whose number is 0 goes",
                "additions of many threads all count",
            ]
        case .forgivesAdditions: ["an addition that is not possible refuses its batch"]
        case .announcesEarly: ["a subscription hears of each commit once reads see it"]
        case .announcesNested: ["who hears of a commit may commit, and hears of that afterwards"]
        case .announcesTwice: ["commits of many threads are heard of in the order of their numbers"]
        case .ignoresCancelling: ["a subscription ends when it is cancelled or freed"]
        case .losesFeedDeletes: ["the feed tells every commit with all its changes"]
        case .endsFeed: ["the feed goes on with commits that are made later"]
        case .feedSkips:
            [
                "the feed says what it does not keep any more",
                "beyond a name's limit the feed has all changes or says that they are gone",
            ]
        case .sharesLines: ["every commit is of a line, and no two stores have one"]
        case .losesLines: ["the feed goes on from a position that was kept, and from no other"]
        case .drawsLinesAnew: ["a position holds when the store is opened again"]
        case .losesNamesOfReaders:
            [
                "what a name keeps stays in the feed",
                "a name's position moves with a commit or not at all",
                "a name is let go, and takes no position that does not hold",
            ]
        case .losesBlindDeletes:
            ["a blind delete comes behind the batch, and in derived tables alone"]
        case .seesBlindDeletes: ["a blind delete never conflicts, and what overlooks it does"]
        case .grantsAllWork: ["work is claimed once at a time"]
        case .erasesNothing: ["what is erased leaves the feed, but for what a name keeps"]
        case .thawsWalks:
            [
                "a frozen walk goes on as of its commit, both ways",
                "a walk at a commit equals a model under four writing threads",
                "readers frozen at random commits equal copies under four writing threads",
            ]
        case .sharesSnapshots:
            [
                "a frozen reader sees all of its commit and nothing later",
                "frozen readers are listed for as long as they are held",
            ]
        case .thaws:
            BackendRule.all.map(\.name).filter { $0.hasSuffix(", of a frozen reader") }
                + ["a commit can freeze a reader at itself or later"]
        case .overlooksOthers, .tellsOwnCommits, .givesOutForItself, .keepsWorkToTheEnd: []
        case .changesIdentity: ["a store keeps its number when it is opened again"]
        case .forgets:
            [
                "what was committed is there after reopening",
                "deletions and drops stay after reopening",
                "what was not committed is not there after reopening",
                "committed rows are not given out after reopening",
                "commit numbers go on growing after reopening",
                "a name keeps its changes when the store is opened again",
                "a batch of many chunks is there after reopening",
                "renamed tables keep their rows after reopening",
                "a store opened for reading shows all and changes nothing",
            ]
        }
    }
}
