package portcullis.path_test

import data.portcullis.path

test_folder if {
	path.folder("/") == "/"
	path.folder("//.") == "/"
	path.folder("/a//b/./c/") == "/a/b/c/"
	path.folder("/a/../b") == "/a/../b/"
	path.folder("/..a/b..") == "/..a/b../"
}

test_no_folder if {
	every value in ["", "a", "./a", "..", null, true, 0, [], ["/a"], {}] {
		not path.folder(value)
	}
}

test_place if {
	path.place("/") == "/"
	path.place("/a/b c") == "/a/b c/"
}

test_canonical if {
	every value in ["/", "/a", "/a/b c", "/..a/b..", "/.a/...", "/.a", "/a./b"] {
		path.canonical(value)
	}
}

test_not_canonical if {
	every value in ["", "a", "//", "/a/", "//a", "/a//b", "/a/./b", "/.", "/..", "/a/..", "/a/../b", "/.a/..", "/a/.", null, 0, ["/"]] {
		not path.canonical(value)
	}
}

test_inside if {
	path.inside("/a/b/", "/a/b/")
	path.inside("/a/b/", "/a/")
	path.inside("/a/b/", "/")
	not path.inside("/a/", "/a/b/")
	not path.inside("/ab/", "/a/")
	not path.inside("/b/a/", "/a/")
}

test_target if {
	every value in ["a", "/a", "a/b c", ".a", "..a/b..", "a/.b", "/.a/..."] {
		path.target(value)
	}
}

test_no_target if {
	every value in ["", " ", "/", "//", ".", "..", "./a", "../a", "a/", "/a/", "a//b", "//a", "a/.", "/..", "a/../b", "a\\b", null, 0, ["a"]] {
		not path.target(value)
	}
}

test_lies_in if {
	path.lies_in("/a/b", "/a/b/")
	path.lies_in("/a/b", "/a/")
	path.lies_in("/a/b", "/")
	path.lies_in("/", "/")
	not path.lies_in("/", "/a/")
	not path.lies_in("/a", "/a/b/")
	not path.lies_in("/a", "/ab/")
	not path.lies_in("/ab", "/a/")
	not path.lies_in("/b/a", "/a/")
}
