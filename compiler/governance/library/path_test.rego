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

test_canonical if {
	path.canonical("/") == "/"
	path.canonical("/a/b c") == "/a/b c/"
	path.canonical("/..a/b..") == "/..a/b../"
	path.canonical("/.a/...") == "/.a/.../"
}

test_not_canonical if {
	every value in ["", "a", "//", "/a/", "//a", "/a//b", "/a/./b", "/.", "/..", "/a/..", "/a/../b"] {
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
