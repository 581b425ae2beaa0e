/** Every warning on the public repositories, read: what is wrong there. One that is not listed fails the run. By `file code`. */

export const warnings: ReadonlyMap<string, string> = new Map([
  [
    "checks/docker/yum_clean_all_missing.rego argument-always-wildcard",
    'the manager is handed in, `{"yum"}`, and never looked at: a comment beside it says `TODO: fix`',
  ],
  [
    "policy/kubernetes/deny_deprecated_service_account.rego sprintf-arguments-mismatch",
    "the message ends in `%!(EXTRA …)`: three verbs, four arguments",
  ],
  [
    "src/general/block-wildcard-ingress/src_test.rego duplicate-rule",
    "one test stands there twice: the second was to be of another host",
  ],
  [
    "src/general/horizontalpodautoscaler/src.rego sprintf-arguments-mismatch",
    "the message ends in `%!v(MISSING)`: six verbs, five arguments",
  ],
  [
    "src/pod-security-policy/seccomp/src.rego argument-always-wildcard",
    "`get_message` and `allowed_profile` are handed a second argument that no definition reads",
  ],
  ["src/pod-security-policy/selinux/src_test.rego duplicate-rule", "`input_review` is defined twice, word for word"],
  [
    "bundle/regal/rules/idiomatic/use-some-for-output-vars/use_some_for_output_vars_test.rego constant-condition",
    "`report with input as policy == set()` compares the policy, not the report: the test cannot fail",
  ],
  [
    "policies/util/common/array.rego rule-shadows-builtin",
    'a function `concat` of lists: `concat(", ", names)` beside it would call it',
  ],
  [
    "policies/NetworkPolicyAllowEgressFromNamespaceToNamespace/tests/violation_allow_all_egress_test.rego constant-condition",
    "`violation with input as testcase` is a set, also an empty one: the test cannot fail",
  ],
  [
    "policies/NetworkPolicyAllowEgressFromNamespaceToNamespace/tests/violation_different_ns_test.rego constant-condition",
    "`violation with input as testcase` is a set, also an empty one: the test cannot fail",
  ],
  [
    "policies/NetworkPolicyAllowIngressFromNamespaceToNamespace/tests/violation_allow_all_ingress_test.rego constant-condition",
    "`violation with input as testcase` is a set, also an empty one: the test cannot fail",
  ],
  [
    "policies/NetworkPolicyAllowIngressFromNamespaceToNamespace/tests/violation_different_ns_test.rego constant-condition",
    "`violation with input as testcase` is a set, also an empty one: the test cannot fail",
  ],
  [
    "staging/ControllerContainerBlockHostPath/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/ControllerContainerServiceAccountTokenAutomount/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/ControllerContainerUsingHostPort/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/ControllerMissingMatchLabelKey/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/IngressClass/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/NetworkPolicyAllowEgressDNSFromNamespace/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
  [
    "staging/ServiceAccountDisableTokenAutomount/policy.rego unassigned-return-value",
    "`has_key` calls `type_name` only to see that a member is there: so it is, and `_ = x[k]` says it",
  ],
]);
