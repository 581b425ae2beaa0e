# Requests by table: every user with every method, and what is wrongly expected of some.
package policy_test

import data.policy

test_allow_nobody_none if {
	not policy.allow with input as {}
}

test_allow_nobody_none_wrong if {
	policy.allow with input as {}
}

test_level_nobody_none if {
	policy.level == "none" with input as {}
}

test_level_nobody_none_wrong if {
	policy.level != "none" with input as {}
}

test_missing_nobody_none if {
	count(policy.deny) == 2 with input as {}
}

test_allow_nobody_get if {
	policy.allow with input as {"method": "GET"}
}

test_allow_nobody_get_wrong if {
	not policy.allow with input as {"method": "GET"}
}

test_level_nobody_get if {
	policy.level == "none" with input as {"method": "GET"}
}

test_level_nobody_get_wrong if {
	policy.level != "none" with input as {"method": "GET"}
}

test_missing_nobody_get if {
	count(policy.deny) == 1 with input as {"method": "GET"}
}

test_allow_nobody_post if {
	not policy.allow with input as {"method": "POST"}
}

test_allow_nobody_post_wrong if {
	policy.allow with input as {"method": "POST"}
}

test_level_nobody_post if {
	policy.level == "none" with input as {"method": "POST"}
}

test_level_nobody_post_wrong if {
	policy.level != "none" with input as {"method": "POST"}
}

test_missing_nobody_post if {
	count(policy.deny) == 1 with input as {"method": "POST"}
}

test_allow_nobody_put if {
	not policy.allow with input as {"method": "PUT"}
}

test_allow_nobody_put_wrong if {
	policy.allow with input as {"method": "PUT"}
}

test_level_nobody_put if {
	policy.level == "none" with input as {"method": "PUT"}
}

test_level_nobody_put_wrong if {
	policy.level != "none" with input as {"method": "PUT"}
}

test_missing_nobody_put if {
	count(policy.deny) == 1 with input as {"method": "PUT"}
}

test_allow_nobody_delete if {
	not policy.allow with input as {"method": "DELETE"}
}

test_allow_nobody_delete_wrong if {
	policy.allow with input as {"method": "DELETE"}
}

test_level_nobody_delete if {
	policy.level == "none" with input as {"method": "DELETE"}
}

test_level_nobody_delete_wrong if {
	policy.level != "none" with input as {"method": "DELETE"}
}

test_missing_nobody_delete if {
	count(policy.deny) == 1 with input as {"method": "DELETE"}
}

test_allow_alice_none if {
	not policy.allow with input as {"user": "alice"}
}

test_allow_alice_none_wrong if {
	policy.allow with input as {"user": "alice"}
}

test_level_alice_none if {
	policy.level == "admin" with input as {"user": "alice"}
}

test_level_alice_none_wrong if {
	policy.level != "admin" with input as {"user": "alice"}
}

test_missing_alice_none if {
	count(policy.deny) == 1 with input as {"user": "alice"}
}

test_allow_alice_get if {
	policy.allow with input as {"user": "alice", "method": "GET"}
}

test_allow_alice_get_wrong if {
	not policy.allow with input as {"user": "alice", "method": "GET"}
}

test_level_alice_get if {
	policy.level == "admin" with input as {"user": "alice", "method": "GET"}
}

test_level_alice_get_wrong if {
	policy.level != "admin" with input as {"user": "alice", "method": "GET"}
}

test_missing_alice_get if {
	count(policy.deny) == 0 with input as {"user": "alice", "method": "GET"}
}

test_allow_alice_post if {
	policy.allow with input as {"user": "alice", "method": "POST"}
}

test_allow_alice_post_wrong if {
	not policy.allow with input as {"user": "alice", "method": "POST"}
}

test_level_alice_post if {
	policy.level == "admin" with input as {"user": "alice", "method": "POST"}
}

test_level_alice_post_wrong if {
	policy.level != "admin" with input as {"user": "alice", "method": "POST"}
}

test_missing_alice_post if {
	count(policy.deny) == 0 with input as {"user": "alice", "method": "POST"}
}

test_allow_alice_put if {
	not policy.allow with input as {"user": "alice", "method": "PUT"}
}

test_allow_alice_put_wrong if {
	policy.allow with input as {"user": "alice", "method": "PUT"}
}

test_level_alice_put if {
	policy.level == "admin" with input as {"user": "alice", "method": "PUT"}
}

test_level_alice_put_wrong if {
	policy.level != "admin" with input as {"user": "alice", "method": "PUT"}
}

test_missing_alice_put if {
	count(policy.deny) == 0 with input as {"user": "alice", "method": "PUT"}
}

test_allow_alice_delete if {
	not policy.allow with input as {"user": "alice", "method": "DELETE"}
}

test_allow_alice_delete_wrong if {
	policy.allow with input as {"user": "alice", "method": "DELETE"}
}

test_level_alice_delete if {
	policy.level == "admin" with input as {"user": "alice", "method": "DELETE"}
}

test_level_alice_delete_wrong if {
	policy.level != "admin" with input as {"user": "alice", "method": "DELETE"}
}

test_missing_alice_delete if {
	count(policy.deny) == 0 with input as {"user": "alice", "method": "DELETE"}
}

test_allow_bob_none if {
	not policy.allow with input as {"user": "bob"}
}

test_allow_bob_none_wrong if {
	policy.allow with input as {"user": "bob"}
}

test_level_bob_none if {
	policy.level == "admin" with input as {"user": "bob"}
}

test_level_bob_none_wrong if {
	policy.level != "admin" with input as {"user": "bob"}
}

test_missing_bob_none if {
	count(policy.deny) == 1 with input as {"user": "bob"}
}

test_allow_bob_get if {
	policy.allow with input as {"user": "bob", "method": "GET"}
}

test_allow_bob_get_wrong if {
	not policy.allow with input as {"user": "bob", "method": "GET"}
}

test_level_bob_get if {
	policy.level == "admin" with input as {"user": "bob", "method": "GET"}
}

test_level_bob_get_wrong if {
	policy.level != "admin" with input as {"user": "bob", "method": "GET"}
}

test_missing_bob_get if {
	count(policy.deny) == 0 with input as {"user": "bob", "method": "GET"}
}

test_allow_bob_post if {
	policy.allow with input as {"user": "bob", "method": "POST"}
}

test_allow_bob_post_wrong if {
	not policy.allow with input as {"user": "bob", "method": "POST"}
}

test_level_bob_post if {
	policy.level == "admin" with input as {"user": "bob", "method": "POST"}
}

test_level_bob_post_wrong if {
	policy.level != "admin" with input as {"user": "bob", "method": "POST"}
}

test_missing_bob_post if {
	count(policy.deny) == 0 with input as {"user": "bob", "method": "POST"}
}

test_allow_bob_put if {
	not policy.allow with input as {"user": "bob", "method": "PUT"}
}

test_allow_bob_put_wrong if {
	policy.allow with input as {"user": "bob", "method": "PUT"}
}

test_level_bob_put if {
	policy.level == "admin" with input as {"user": "bob", "method": "PUT"}
}

test_level_bob_put_wrong if {
	policy.level != "admin" with input as {"user": "bob", "method": "PUT"}
}

test_missing_bob_put if {
	count(policy.deny) == 0 with input as {"user": "bob", "method": "PUT"}
}

test_allow_bob_delete if {
	not policy.allow with input as {"user": "bob", "method": "DELETE"}
}

test_allow_bob_delete_wrong if {
	policy.allow with input as {"user": "bob", "method": "DELETE"}
}

test_level_bob_delete if {
	policy.level == "admin" with input as {"user": "bob", "method": "DELETE"}
}

test_level_bob_delete_wrong if {
	policy.level != "admin" with input as {"user": "bob", "method": "DELETE"}
}

test_missing_bob_delete if {
	count(policy.deny) == 0 with input as {"user": "bob", "method": "DELETE"}
}

test_allow_carol_none if {
	not policy.allow with input as {"user": "carol"}
}

test_allow_carol_none_wrong if {
	policy.allow with input as {"user": "carol"}
}

test_level_carol_none if {
	policy.level == "user" with input as {"user": "carol"}
}

test_level_carol_none_wrong if {
	policy.level != "user" with input as {"user": "carol"}
}

test_missing_carol_none if {
	count(policy.deny) == 1 with input as {"user": "carol"}
}

test_allow_carol_get if {
	policy.allow with input as {"user": "carol", "method": "GET"}
}

test_allow_carol_get_wrong if {
	not policy.allow with input as {"user": "carol", "method": "GET"}
}

test_level_carol_get if {
	policy.level == "user" with input as {"user": "carol", "method": "GET"}
}

test_level_carol_get_wrong if {
	policy.level != "user" with input as {"user": "carol", "method": "GET"}
}

test_missing_carol_get if {
	count(policy.deny) == 0 with input as {"user": "carol", "method": "GET"}
}

test_allow_carol_post if {
	not policy.allow with input as {"user": "carol", "method": "POST"}
}

test_allow_carol_post_wrong if {
	policy.allow with input as {"user": "carol", "method": "POST"}
}

test_level_carol_post if {
	policy.level == "user" with input as {"user": "carol", "method": "POST"}
}

test_level_carol_post_wrong if {
	policy.level != "user" with input as {"user": "carol", "method": "POST"}
}

test_missing_carol_post if {
	count(policy.deny) == 0 with input as {"user": "carol", "method": "POST"}
}

test_allow_carol_put if {
	not policy.allow with input as {"user": "carol", "method": "PUT"}
}

test_allow_carol_put_wrong if {
	policy.allow with input as {"user": "carol", "method": "PUT"}
}

test_level_carol_put if {
	policy.level == "user" with input as {"user": "carol", "method": "PUT"}
}

test_level_carol_put_wrong if {
	policy.level != "user" with input as {"user": "carol", "method": "PUT"}
}

test_missing_carol_put if {
	count(policy.deny) == 0 with input as {"user": "carol", "method": "PUT"}
}

test_allow_carol_delete if {
	not policy.allow with input as {"user": "carol", "method": "DELETE"}
}

test_allow_carol_delete_wrong if {
	policy.allow with input as {"user": "carol", "method": "DELETE"}
}

test_level_carol_delete if {
	policy.level == "user" with input as {"user": "carol", "method": "DELETE"}
}

test_level_carol_delete_wrong if {
	policy.level != "user" with input as {"user": "carol", "method": "DELETE"}
}
