/** A thread of `portcullis replay`: loads the policy, and answers each part of a log with its tally. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type LogPart, replay } from "@portcullis/governance/review";
import { loadWithBuiltins } from "../policy/load-policy.ts";
import type { ThreadPolicy } from "./threads.ts";

const { bytes, data } = workerData as ThreadPolicy;
const port = parentPort as MessagePort;
const loading = loadWithBuiltins(bytes, { data });
// Messages come in their order, and so do answers.
port.on("message", async (part: LogPart) => port.postMessage(replay(await loading, part)));
