# METADATA
# title: House rules
# description: |
#   What the extensions of the Saltmarsh Press ask. An extension package holds only `must` and `deny` rules, so everything that
#   they need is here, where it can be tested by itself.
package newsroom.rules

# METADATA
# description: |
#   The request is for an amount, in cents, that one person may release. Written as what must hold, so that an amount that
#   is missing, is text, or is negative does not pass.
payout_within_limit if {
	is_number(input.scope.amount_cents)
	input.scope.amount_cents > 0
	input.scope.amount_cents <= data.newsroom.payouts.limit
}

# METADATA
# description: The tool moves money.
releases_money if input.tool in data.newsroom.payouts.tools
