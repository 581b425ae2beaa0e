# METADATA
# title: Paths
# description: |
#   Paths are compared whole segment by whole segment: `/a/b` does not hold `/a/bc`. So that texts can be compared for it, a
#   place is a path with a slash behind every segment: `/`, `/a/b/`. Hosts write `/` between segments and before the first
#   one on every system (`/C:/work` for a drive). Nothing here looks at a disk: a host hands over canonical paths, and what
#   is not canonical is not inside anything.
package portcullis.path

import data.portcullis.text

# METADATA
# description: A path that starts at the root.
absolute(path) if startswith(path, "/")

# METADATA
# description: |
#   The folder that an absolute path names, as a place: empty segments and `.` name no folder. With a `..` it is a folder that
#   holds nothing, as no canonical path has one.
folder(path) := place(path) if {
	canonical(path)
} else := concat("/", array.concat(array.concat([""], named), [""])) if {
	absolute(path)
	named := [segment | some segment in split(path, "/"); not segment in {"", "."}]
}

# METADATA
# description: The place of a canonical path.
place("/") := "/"

place(path) := concat("", [path, "/"]) if path != "/"

# METADATA
# description: A path from the root, without `..`, `.`, empty segments or a slash at its end.
canonical("/")

canonical(path) if {
	absolute(path)
	straight(path)
}

# Every segment names a folder: behind a slash at the beginning, none is empty, `.` or `..`. Few begin with a dot, and need
# the path taken apart.
straight(path) if {
	not endswith(path, "/")
	not contains(path, "//")
	not dotted(path)
}

dotted(path) if {
	startswith(path, ".")
	turns(path)
}

dotted(path) if {
	contains(path, "/.")
	turns(path)
}

turns(path) if {
	some segment in split(path, "/")
	segment in {".", ".."}
}

# METADATA
# description: |
#   What a contract may name as a target: a canonical path, absolute or from the contract root, that shows something and is
#   not the root itself, which is a slash at the end here. No `\`, which parts folders on some systems only.
target(path) if {
	text.written(path)
	not contains(path, "\\")
	straight(path)
}

# METADATA
# description: The place lies in the folder, or is the folder. Both are places.
inside(place, base) if startswith(place, base)

# METADATA
# description: The same for a canonical path instead of its place, which is joined for the folder itself alone.
lies_in(path, base) if startswith(path, base)

lies_in(path, base) if {
	startswith(base, path)
	base == place(path)
}
