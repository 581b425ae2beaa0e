# METADATA
# title: Text
# description: |
#   White space as the decisions mean it. Rego's `trim_space` and `\s` know other sets, so the characters are named one by one.
package portcullis.text

# METADATA
# description: Every character with the Unicode property White_Space.
white_space := "\t\n\u000b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

# METADATA
# description: White space and U+FEFF, the byte order mark, which looks like nothing too.
blank := "\t\n\u000b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

# METADATA
# description: A string that shows something. Anything that is not a string is not written text, and `trim` is undefined for it.
written(value) if trim(value, blank) != ""

# METADATA
# description: A text that says something, or an object with something in it.
described(value) if written(value)

described(value) if {
	is_object(value)
	count(value) > 0
}

# METADATA
# description: A list with something in it.
listed(value) if {
	is_array(value)
	count(value) > 0
}
