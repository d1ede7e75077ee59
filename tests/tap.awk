# Counts one suite's TAP output and prints what failed, readable, with the text that follows it.
#
#   awk -f tap.awk -v suite=NAME -v status=EXIT_STATUS -v counts=FILE OUTPUT
#
# Appends "passed failed skipped" to FILE. A suite that runs no test, fewer than it planned, or ends
# with a failure that no test tells is itself a failed test.

function fail(text)
{
    failed++
    print "FAILED " suite ": " text
}

/^1\.\.[0-9]+/ {
    planned += substr($1, 4)
    all_skipped = all_skipped || /# *SKIP/
    next
}
/^(not )?ok( |$)/ {
    telling = 0
    done++
    if (/# *SKIP/) {
        skipped++
    } else if (/^ok/) {
        passed++
    } else {
        telling = 1
        sub(/^not ok *[0-9]* *-? */, "")
        fail($0)
    }
    next
}
telling { print "    " $0 }

END {
    if (done == 0 && !all_skipped)
        fail("no test ran")
    if (planned != done)
        fail(done + 0 " tests ran of the " planned + 0 " planned")
    if (status != 0 && failed == 0)
        fail("it ended with status " status (status == 124 ? " (it took too long)" : ""))
    print passed + 0, failed + 0, skipped + 0 >> counts
}
