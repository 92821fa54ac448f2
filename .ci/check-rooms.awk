# The rules behind .ci/check-rooms. Reads the names of Swift files, one a line, and prints what
# is wrong with them, sorted. POSIX awk, so that it runs wherever Swift does.

BEGIN {
    roomLimit = split("Serialization Keys Objects Schema Changes Store Index Query Search Undo " \
        "Observation Cursors Derived Indexes Queries Arrangements TextIndexes Exchange Events History Opening Containers Live Background Files", roomNames, " ")
    for (i = 1; i <= roomLimit; i++) roomNumber[roomNames[i]] = i

    # A target imports targets of lower floors only.
    stand(0, "CTokyoCabinet CZlib CEditline CSQLite CPostgreSQL CSodium CTokyoYield CChecksum CSystem CLibrary")
    stand(1, "CabinetBackend")
    # What several engines have in common.
    stand(1.5, "CabinetSQL")
    stand(2, "CabinetTokyo CabinetMemory CabinetSQLite CabinetPostgreSQL CabinetTextSearch")
    stand(3, "Cabinet")
    stand(4, "CabinetDocument CabinetReplication CabinetTestSupport CabinetTools")
    stand(5, "playlists cabinet-inspect cabinet_inspect")
    # Where a program begins, and nothing else.
    stand(6, "PlaylistsProgram")

    list(groundMayImport, "CChecksum CLibrary Swift Synchronization Glibc Musl Darwin")
    list(engines, "CabinetTokyo CabinetMemory CabinetSQL CabinetSQLite CabinetPostgreSQL")
    list(importKinds, "class struct enum protocol typealias func let var")
    list(typeKinds, "class struct enum protocol actor typealias")
    list(afterClass, "func var let subscript override final private fileprivate internal " \
        "package public open nonisolated isolated async")
    list(manifestMustNotUse, "unsafeFlags environment ProcessInfo getenv Glibc Darwin Musl")
    # The latter shows the progress of an engine's tools.
    list(mayNameEngines, "Sources/Cabinet/Opening/Store+Opening.swift " \
        "Sources/Cabinet/Files/StoreFile.swift Sources/Cabinet/Files/StoreFile+Places.swift " \
        "Sources/Cabinet/Files/StoreFile+Saving.swift " \
        "Sources/Cabinet/Files/StoreFile+Reverting.swift Sources/Cabinet/Files/StoreFile+Keys.swift " \
        "Sources/Cabinet/Files/StoreFile+Left.swift " \
        "Sources/Cabinet/Store/Checking/StoreMaintenance+Progress.swift")
    lineLimit = 300
    functionLimit = 60
    folderLimit = 16
    sorted = "LC_ALL=C sort -t : -k 1,1 -k 2,2n -k 3"
}

function list(set, words,    parts, count, i) {
    count = split(words, parts, " ")
    for (i = 1; i <= count; i++) set[parts[i]] = 1
}

function stand(number, words,    parts, count, i) {
    count = split(words, parts, " ")
    for (i = 1; i <= count; i++) floor[parts[i]] = number
}

function report(path, line, message) {
    if ((path, line, message) in reported) return
    reported[path, line, message] = 1
    print path ":" line ": " message | sorted
    failures++
}

{ readFile($0) }

function readFile(path,    parts, count, text) {
    files++
    if (path ~ /^Tests\//) { lineNumber = countLines(path); checkLength(path); return }
    inManifest = path ~ /Package[^\/]*\.swift$/ && path !~ /^Sources/
    if (!inManifest) countFile(path)
    count = split(path, parts, "/")
    target = inManifest ? "" : parts[2]
    room = 0
    if (target != "" && !(target in floor))
        report(path, 1, "target '" target "' stands on no floor; give it one in .ci/check-rooms.awk")
    if (target == "Cabinet") {
        if (count == 3) report(path, 1, "the file stands in no room of the house")
        else if (!(parts[3] in roomNumber)) report(path, 1, "'" parts[3] "' is no room of the house")
        else room = roomNumber[parts[3]]
    }
    resetFile()
    lineNumber = 0
    while ((getline text < path) > 0) {
        lineNumber++
        text = codeOf(text)
        if (!inManifest) takeFunction(path, text)
        takeTokens(path, text)
    }
    close(path)
    if (!inManifest) checkLength(path)
}

# Tests stand on no floor: they import what they test.
function countLines(path,    text, count) {
    count = 0
    while ((getline text < path) > 0) count++
    close(path)
    return count
}

function countFile(path,    folder) {
    folder = path
    sub(/\/[^\/]*$/, "", folder)
    if (++filesIn[folder] == folderLimit + 1)
        report(folder, 1, "more than " folderLimit " files; divide the folder by what they do")
}

function checkLength(path) {
    if (lineNumber > lineLimit)
        report(path, lineLimit + 1, lineNumber " lines; a file has " lineLimit \
            " at most: split it by concern")
}

# The formatter indents alike where a function begins and where it ends.
function takeFunction(path, code,    indent, name) {
    if (!match(code, /[^ ]/)) return
    indent = RSTART
    sub(/^ */, "", code)
    if (code ~ /^}/) {
        if ((indent in functionName) && lineNumber - functionLine[indent] >= functionLimit)
            report(path, functionLine[indent], functionName[indent] " has " \
                lineNumber - functionLine[indent] + 1 " lines; a function has " functionLimit \
                " at most: divide it by what it does")
        delete functionName[indent]
        return
    }
    # The rest of a declaration of several lines.
    if (code ~ /^(\)|\]|->|where |\{)/) return
    delete functionName[indent]
    if (!match(code, /^(@[^ ]+ |[a-z]+(\([a-z]+\))? )*(func [^ (<]+|init[?(<]|deinit|subscript[(<]|var [^ :]+)/))
        return
    name = substr(code, RSTART, RLENGTH)
    sub(/[?(<]$/, "", name)
    sub(/^.* /, "", name)
    functionName[indent] = "'" name "'"
    functionLine[indent] = lineNumber
}

function resetFile() {
    split("", functionName)
    commentDepth = 0
    modes = 0          # open strings, and code inside their interpolations, innermost last
    braces = 0
    previous = beforePrevious = ""
    expected = ""      # what the next word is: "" | "module" | "type" | "extended"
    privately = 0
    container = ""
}

# What is left of a line without comments and strings.
function codeOf(line,    code, hashes, fence) {
    code = ""
    while (line != "") {
        if (commentDepth > 0) {
            if (!match(line, /\/\*|\*\//)) return code
            commentDepth += substr(line, RSTART, 2) == "/*" ? 1 : -1
            line = substr(line, RSTART + 2)
            continue
        }
        if (modes > 0 && fenceOf[modes] != "") {
            line = skipString(line)
            if (modes > 0 && fenceOf[modes] == "") code = code " ("
            continue
        }
        if (!match(line, /["\/#`()]/)) { code = code line; break }
        code = code substr(line, 1, RSTART - 1)
        line = substr(line, RSTART)
        if (substr(line, 1, 2) == "//") break
        if (substr(line, 1, 2) == "/*") {
            commentDepth = 1
            code = code " "
            line = substr(line, 3)
        } else if (match(line, /^#*"/)) {
            hashes = substr(line, 1, RLENGTH - 1)
            fence = substr(line, RLENGTH, 3) == "\"\"\"" ? "\"\"\"" : "\""
            line = substr(line, length(hashes) + length(fence) + 1)
            modes++
            fenceOf[modes] = fence
            hashesOf[modes] = hashes
        } else if (match(line, /^`[^`]*`/)) {
            # An escaped word is a name, never a keyword.
            if (substr(line, 2, 1) ~ /[A-Z]/) code = code substr(line, 2, RLENGTH - 2)
            else code = code "_"
            line = substr(line, RLENGTH + 1)
        } else {
            if (modes > 0 && substr(line, 1, 1) == "(") parentheses[modes]++
            if (modes > 0 && substr(line, 1, 1) == ")" && --parentheses[modes] == 0) modes--
            code = code substr(line, 1, 1)
            line = substr(line, 2)
        }
    }
    # A string on one line cannot go on in the next: if it seems to, it was none.
    while (modes > 0 && fenceOf[modes] == "\"") modes--
    return code
}

# Moves past the innermost string's text, to its end or to the code it interpolates.
function skipString(line,    hashes, fence, rest) {
    hashes = hashesOf[modes]
    fence = fenceOf[modes] hashes
    while (match(line, /["\\]/)) {
        rest = substr(line, RSTART + 1)
        if (substr(line, RSTART, 1) == "\"") {
            if (substr(line, RSTART, length(fence)) == fence) {
                line = substr(line, RSTART + length(fence))
                modes--
                return line
            }
            line = rest
        } else if (substr(rest, 1, length(hashes)) != hashes) {
            line = rest
        } else {
            rest = substr(rest, length(hashes) + 1)
            line = substr(rest, 2)
            if (substr(rest, 1, 1) == "(") {
                modes++
                fenceOf[modes] = ""
                parentheses[modes] = 1
                return line
            }
        }
    }
    return ""
}

function takeTokens(path, code,    token) {
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*|[^ \t]/)) {
        token = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (token == "{") braces++
        else if (token == "}") { braces--; if (braces == 0) container = "" }
        else if (token ~ /^[A-Za-z_]/) takeWord(path, token)
        if (token == "}" || token == ";" || token == "{") privately = 0
        beforePrevious = previous
        previous = token
    }
    if (expected == "") privately = 0
}

function takeWord(path, word) {
    # `actor` may also be a plain name: only the very next word is what it declares.
    if (expected == "type" && !(previous in typeKinds)) expected = ""
    if (expected == "module") {
        if (word in importKinds) return
        expected = ""
        takeImport(path, word)
        return
    }
    if (expected == "extended") {
        expected = ""
        if (braces == 0) container = word
        takeName(path, word)
        return
    }
    if (expected == "type") {
        expected = ""
        if (!(word in afterClass)) takeDeclaration(word)
        privately = 0
        return
    }
    # Where a folder asks for what a later one makes of a type: hidden from the order of folders.
    if (target == "Cabinet" && word == "as" && previous == "Any" && beforePrevious == "as")
        report(path, lineNumber, "a cast by way of 'Any' reaches what a later room declares")
    if (word == "private" || word == "fileprivate") privately = 1
    else if (previous == "." || previous == "#") takeName(path, word)
    else if (word == "import") expected = "module"
    else if (word == "extension") expected = "extended"
    else if (word in typeKinds) expected = "type"
    else takeName(path, word)
}

function takeImport(path, module) {
    if (inManifest) {
        if (module != "PackageDescription")
            report(path, lineNumber, "the manifest imports '" module \
                "'; it imports PackageDescription alone")
        return
    }
    if (target == "CabinetBackend") {
        if (!(module in groundMayImport))
            report(path, lineNumber, "the ground imports '" module "', but may import only " \
                "CChecksum, Synchronization and the C library")
        return
    }
    if (module == "CTokyoCabinet" && target != "CabinetTokyo")
        report(path, lineNumber, "'CTokyoCabinet' is imported outside the engine 'CabinetTokyo'")
    if (module == "CSQLite" && target != "CabinetSQLite")
        report(path, lineNumber, "'CSQLite' is imported outside the engine 'CabinetSQLite'")
    if (module == "CPostgreSQL" && target != "CabinetPostgreSQL")
        report(path, lineNumber, "'CPostgreSQL' is imported outside the engine 'CabinetPostgreSQL'")
    if (module == "CSodium" && target != "CabinetTokyo")
        report(path, lineNumber, "'CSodium' is imported outside the engine 'CabinetTokyo'")
    if ((module in floor) && (target in floor) && floor[module] >= floor[target])
        report(path, lineNumber, "'" target "' (floor " floor[target] ") imports '" module \
            "' (floor " floor[module] ")")
    refuseEngine(path, module)
}

function refuseEngine(path, word) {
    if (target == "Cabinet" && (word in engines) && !(path in mayNameEngines))
        report(path, lineNumber, "the house names the engine '" word \
            "' outside Opening/Store+Opening.swift")
}

function takeDeclaration(name) {
    if (room == 0) return
    if (privately && braces == 0) { filesOwn[FNR, name] = 1; return }
    if (braces == 0) {
        container = name
        declare(topLevel, name)
    } else if (container != "") {
        declare(topLevel, container "." name)
    }
    declare(anywhere, name)
}

# The earliest room that declares a name counts.
function declare(rooms, name) {
    if (!(name in rooms) || room < rooms[name]) rooms[name] = room
}

function takeName(path, name) {
    if (inManifest) {
        if (name in manifestMustNotUse)
            report(path, lineNumber, "the manifest uses '" name \
                "'; it reads no environment and has no unsafe flags")
        return
    }
    refuseEngine(path, name)
    if (room == 0 || name !~ /^[A-Z]/ || previous == "#") return
    uses++
    usePath[uses] = path
    useLine[uses] = lineNumber
    useRoom[uses] = room
    useFile[uses] = FNR
    # After a dot a word is a member, unless the module's own name stands before it.
    useName[uses] = previous == "." && beforePrevious != "Cabinet" ? beforePrevious "." name : name
}

END {
    if (files == 0) { print "no Swift files found"; exit 1 }
    for (i = 1; i <= uses; i++) {
        name = useName[i]
        if (!(name in topLevel) || topLevel[name] <= useRoom[i]) continue
        if ((name in anywhere) && anywhere[name] <= useRoom[i]) continue
        if ((useFile[i], name) in filesOwn) continue
        report(usePath[i], useLine[i], "room '" roomNames[useRoom[i]] "' names '" name \
            "' of the later room '" roomNames[topLevel[name]] "'")
    }
    close(sorted)
    exit failures > 0
}
