# METADATA
# title: Gates of our own on tools
# description: |
#   Asked after every gate of the library has passed. `must` says what has to be true: a gate holds where some rule of its name
#   does, so that whatever is absent, malformed or not computable falls shut.
package portcullis.ext.tool

import data.newsroom.rules

# METADATA
# description: Money leaves the house only in amounts that one person may sign for.
# custom: { reason: payout_above_limit }
must contains "PAYOUT_LIMIT" if not rules.releases_money

must contains "PAYOUT_LIMIT" if rules.payout_within_limit
