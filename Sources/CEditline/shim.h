#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <editline/readline.h>

/// Lets `readline` write to standard error, and call `complete` with all that stands before the
/// cursor. What `complete` returns is freed with `free`.
///
/// Swift must not touch these variables itself: it cannot know which thread may.
static inline void CEditline_prepare(char **(*complete)(const char *, int, int)) {
    static char noBreaks[] = "";
    /* Without a locale of many bytes a character, libedit would cut titles into bytes. */
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    rl_outstream = stderr;
    /* Which of the two is used depends on the version. */
    rl_basic_word_break_characters = noBreaks;
    rl_completer_word_break_characters = noBreaks;
    rl_attempted_completion_function = complete;
}

/// Keeps libedit from completing names of files where `complete` has nothing.
static inline void CEditline_completionIsOver(void) {
    rl_attempted_completion_over = 1;
}
