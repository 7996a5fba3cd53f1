"""Judges the sentences of a test and counts them.

With TESTS_STOP in the environment a test ends at its first failure, which is enough to kill a planted mistake.
"""
import atexit, os, shutil, sys, tempfile

passed = failed = 0


def holds(sentence, good, why=""):
    """The sentence holds if `good` is true; otherwise `why` is shown."""
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok      " + sentence if good else "FAILED  %s: %s" % (sentence, str(why)[-1500:]), flush=True)
    if not good and os.environ.get("TESTS_STOP"):
        finish()


def none_wrong(sentence, wrong):
    """The sentence holds if the list `wrong` is empty."""
    holds(sentence, not wrong, "%d are wrong: %s" % (len(wrong), "; ".join(wrong)[:1500]))


def scratch_folder():
    """A new folder, which is removed when the test ends."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def finish():
    """Ends the test: prints the counts, with exit status 1 if a sentence failed."""
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)
