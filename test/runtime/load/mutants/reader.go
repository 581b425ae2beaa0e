// Reads bundles as OPA does: its loader over archive/tar, then its reader. Standard input holds each bundle after its length
// (four bytes, big endian); a line of JSON comes out for each.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"

	"github.com/open-policy-agent/opa/v1/bundle"
)

type reading struct {
	// Name in the archive, and SHA-256.
	Files [][2]string `json:"files"`
	// Why the loader or the reader refused it.
	Error string `json:"error"`
	// What the reader made of it.
	Revision string `json:"revision"`
	Modules  int    `json:"modules"`
}

func read(raw []byte) (r reading) {
	loader := bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(raw), "")
	for {
		file, err := loader.NextFile()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.Error = err.Error()
			return r
		}
		hash := sha256.New()
		if _, err := file.Read(hash, 1<<40); err != nil && err != io.EOF {
			r.Error = err.Error()
			return r
		}
		r.Files = append(r.Files, [2]string{file.Path(), hex.EncodeToString(hash.Sum(nil))})
	}
	loader = bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(raw), "")
	b, err := bundle.NewCustomReader(loader).WithSkipBundleVerification(true).Read()
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Revision = b.Manifest.Revision
	r.Modules = len(b.Modules)
	return r
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		var size uint32
		if binary.Read(in, binary.BigEndian, &size) != nil {
			return
		}
		raw := make([]byte, size)
		if _, err := io.ReadFull(in, raw); err != nil {
			panic(err)
		}
		if err := out.Encode(read(raw)); err != nil {
			panic(err)
		}
	}
}
