# METADATA
# title: Paths
# description: |
#   Paths are compared segment by segment, never as strings: `/a/b` does not hold `/a/bc`. Hosts write `/` between
#   segments and before the first one on every system (`/C:/work` for a drive). Nothing here looks at a disk: a host hands
#   over canonical paths, and what is not canonical is not inside anything.
package portcullis.path

# METADATA
# description: The segments of a path, without the empty ones and without `.`, which name no folder.
segments(path) := [segment | some segment in split(path, "/"); not segment in {"", "."}]

# METADATA
# description: A path that starts at the root.
absolute(path) if startswith(path, "/")

# METADATA
# description: |
#   The folder that an absolute path names, as segments. With a `..` among them it is a folder that holds nothing, as no
#   canonical path has one.
folder(path) := segments(path) if absolute(path)

# METADATA
# description: As `folder`, for a path that must be canonical, without `..`, `.`, empty segments or a slash at its end.
canonical(path) := parts if {
	parts := folder(path)
	not ".." in parts
	trim_prefix(path, "/") == concat("/", parts)
}

# METADATA
# description: The path lies in the folder, or is the folder. Both are segments.
inside(parts, base) if array.slice(parts, 0, count(base)) == base
