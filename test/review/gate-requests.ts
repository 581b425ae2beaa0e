/** What the table of remedies leaves out, and why. An entry that is reached, or found, after all fails the suite. */

/** Gates that no request of the example reaches, by decision, gate and reason. */
export const UNREACHED: { readonly [gate: string]: string } = {
  "tool TOOL_ENABLED tool_not_enabled": "every tool of the example says whether it is enabled",
  "call TOOL_LANE lane_not_allowed_for_tool": "lanes and tools of the example agree, as --strict demands",
  "lineage LINEAGE lineage_missing": "the example does not require a lineage",
  "lineage AGENT_MANIFEST manifest_missing": "every agent of the example that may be spawned has a manifest",
};

/** Gates of whose request too much is wrong or missing for changes that are tried one by one. */
export const BEYOND: { readonly [gate: string]: string } = {
  "handoff RECORD invalid_record": "the whole record has to be written",
  "handoff REQUIRED_FIELDS missing_required_field": "most of the record has to be written",
  "handoff ARTIFACTS artifacts_empty": "an artifact and what the host found there have to be told",
  "handoff ARTIFACTS artifact_not_object": "an artifact has to be described anew",
  "handoff ARTIFACTS artifact_path_not_found": "the host has to find a file",
  "handoff NEXT_ACTION next_action_not_object": "the next action has to be written",
  "handoff RULEBOOK rulebook_not_object": "the update of the rulebook has to be written",
  "exec STAGING script_outside_staging": "the script has to be staged, under a path made of three names",
  "exec HAT_PRESENT malformed_hat_packet": "a whole packet has to be signed",
};
