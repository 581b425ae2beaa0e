package newsroom.rules_test

import data.newsroom.rules

request(amount) := {"tool": "payout.release", "scope": {"amount_cents": amount}}

test_amounts_within_the_limit if {
	every amount in [1, 99999, 150000] {
		rules.payout_within_limit with input as request(amount)
	}
}

test_amounts_beyond_the_limit if {
	every amount in [0, -1, 150001, 1e12, "100", null, true, [100]] {
		not rules.payout_within_limit with input as request(amount)
	}
}

test_no_amount_is_no_amount_within_the_limit if {
	not rules.payout_within_limit with input as {"tool": "payout.release"}
	not rules.payout_within_limit with input as {"tool": "payout.release", "scope": null}
}

test_only_releases_move_money if {
	rules.releases_money with input as request(1)
	not rules.releases_money with input as {"tool": "payout.prepare"}
	not rules.releases_money with input as {}
}
