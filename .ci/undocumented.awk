# Prints each declaration of a pretty-printed symbol graph that has no documentation comment, as
# `path:line: message`, with paths below `root`. POSIX awk. An indentation of four spaces is a
# symbol's, one of six its keys'.

/^  "symbols": \[/ { inSymbols = 1 }
/^  \]/ { inSymbols = 0 }
!inSymbols { next }
/^    \{/ { documented = 0; name = path = ""; inPath = 0 }
/^      "docComment"/ { documented = 1 }
/^      "pathComponents"/ { inPath = 1; next }
inPath && /^      \]/ { inPath = 0 }
inPath { name = name (name == "" ? "" : ".") unquoted($0) }
/^        "uri"/ { path = unquoted(substr($0, index($0, ":") + 1)) }
/^          "line"/ { line = $2 + 1 }
/^    \}/ && !documented {
    sub(/^file:\/\//, "", path)
    if (index(path, root) == 1) path = substr(path, length(root) + 1)
    print path ":" line ": '" name "' has no documentation"
}

function unquoted(text) {
    sub(/^[^"]*"/, "", text)
    sub(/".*$/, "", text)
    return text
}
