// Asks Go's own implementation of signed notes and transparency logs, which reads the logs of Go's modules. A question a line, as JSON; an
// answer a line: "ok", or what is wrong.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Vkey  string
	Note  string
	Older string            // a note too: whether the log has only grown
	Id    string            // of an entry, in hexadecimal: whether it is in the log
	Index int64             // where
	Path  []string          // a proof, in hexadecimal
	Tiles map[string]string // "level at": hashes in base64. Whether they lead to the root, and to the same proof
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := answer(asked); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}

func answer(asked question) error {
	tree, err := opened(asked.Note, asked.Vkey)
	if err != nil {
		return err
	}
	path, err := hashes(asked.Path)
	if err != nil {
		return err
	}
	switch {
	case asked.Older != "":
		older, err := opened(asked.Older, asked.Vkey)
		if err != nil {
			return err
		}
		return tlog.CheckTree(tlog.TreeProof(path), tree.N, tree.Hash, older.N, older.Hash)
	case asked.Tiles != nil:
		return sameProof(asked, tree, path)
	case asked.Id != "":
		id, err := hex.DecodeString(asked.Id)
		if err != nil {
			return err
		}
		return tlog.CheckRecord(tlog.RecordProof(path), tree.N, tree.Hash, asked.Index, tlog.RecordHash(id))
	}
	return nil
}

// A checkpoint may have lines of its own behind the third.
func opened(text, vkey string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	read, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.SplitN(read.Text, "\n", 4)
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("no checkpoint of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// The reader of tiles checks each tile against the root before it takes a hash from it.
func sameProof(asked question, tree tlog.Tree, path []tlog.Hash) error {
	proof, err := tlog.ProveRecord(tree.N, asked.Index, tlog.TileHashReader(tree, tiles(asked.Tiles)))
	if err != nil {
		return err
	}
	if fmt.Sprint(proof) != fmt.Sprint(tlog.RecordProof(path)) {
		return fmt.Errorf("another proof")
	}
	return nil
}

type tiles map[string]string

func (tiles) Height() int { return 8 }

func (stored tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range wanted {
		whole, err := base64.StdEncoding.DecodeString(stored[fmt.Sprintf("%d %d", tile.L, tile.N)])
		if err != nil || len(whole) < tile.W*tlog.HashSize {
			return nil, fmt.Errorf("no tile %d %d of %d", tile.L, tile.N, tile.W)
		}
		read = append(read, bytes.Clone(whole[:tile.W*tlog.HashSize]))
	}
	return read, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func hashes(path []string) ([]tlog.Hash, error) {
	var read []tlog.Hash
	for _, one := range path {
		var hash tlog.Hash
		if n, err := hex.Decode(hash[:], []byte(one)); err != nil || n != tlog.HashSize {
			return nil, fmt.Errorf("no hash: %s", one)
		}
		read = append(read, hash)
	}
	return read, nil
}
