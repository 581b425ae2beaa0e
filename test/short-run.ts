/** Most code of a suite runs a few times, as the command line's does: V8 optimizes it as late as there. */
import { tuneForShortRun } from "../compiler/cli/short-run.ts";

tuneForShortRun();
