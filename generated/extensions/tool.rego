# METADATA
# title: Gates of our own on tools
# description: |
#   Asked after every gate of the library has passed. A rule here can only deny: it names its gate and its reason.
package portcullis.ext.tool

import data.newsroom.rules

# METADATA
# description: Money leaves the house only in amounts that one person may sign for.
deny contains {"gate": "PAYOUT_LIMIT", "reason": "payout_above_limit"} if {
	rules.releases_money
	not rules.payout_within_limit
}
