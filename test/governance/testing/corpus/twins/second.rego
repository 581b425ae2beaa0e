package twins_too

test_twin if true

test_twin if true
