// Asks Go's implementation of signed notes, and torchwood's of cosignatures, which litewitness uses, who has seen a log and by when. A question a
// line, as JSON; an answer a line.
package main

import (
	"bufio"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Vkey      string
	Witnesses []string
	Quorum    int
	Notes     []string
	Id        string `json:"proof_of"` // of an entry, in hexadecimal: whether a proof leads from it to the log
	Text      string // the proof
}

type answer struct {
	Verdict string `json:"verdict"`
	Size    int64  `json:"size"`
	Seen    int    `json:"seen"`
	By      *int64 `json:"by,omitempty"`
	Error   string `json:"error,omitempty"`
}

// A log of one size, and when each witness signed it.
type seenTree struct {
	tlog.Tree
	times map[string]int64
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		told, err := judge(asked)
		if err != nil {
			told = answer{Verdict: "none", Error: err.Error()}
		}
		text, _ := json.Marshal(told)
		fmt.Println(string(text))
	}
}

func isWitness(asked question, name string) bool {
	return slices.ContainsFunc(asked.Witnesses, func(vkey string) bool { return strings.HasPrefix(vkey, name+"+") })
}

func judge(asked question) (answer, error) {
	notes := asked.Notes
	if asked.Id != "" {
		_, own, _ := strings.Cut(asked.Text, "\n\n")
		notes = []string{own}
	}
	verifiers, err := verifiersOf(asked)
	if err != nil {
		return answer{}, err
	}
	var trees []seenTree
	for _, text := range notes {
		tree, err := opened(text, verifiers)
		var invalid *note.InvalidSignatureError
		if errors.As(err, &invalid) && isWitness(asked, invalid.Name) {
			continue // a bad line rejects its note alone
		} else if err != nil {
			return answer{}, err
		}
		trees = append(trees, tree)
	}
	if len(trees) == 0 {
		return answer{Verdict: "contradicted"}, nil
	}
	if asked.Id != "" {
		if err := included(asked, trees[0].Tree); err != nil {
			return answer{}, err
		}
	}
	return verdictOn(trees, asked.Quorum), nil
}

// The log's verifier comes first.
func verifiersOf(asked question) ([]note.Verifier, error) {
	log, err := note.NewVerifier(asked.Vkey)
	verifiers := []note.Verifier{log}
	for _, vkey := range asked.Witnesses {
		name, rest, _ := strings.Cut(vkey, "+")
		_, encoded, _ := strings.Cut(rest, "+")
		typed, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(typed) != 33 || typed[0] != 4 {
			return nil, fmt.Errorf("no witness: %s", vkey)
		}
		witness, err := torchwood.NewCosignatureSigner(name, publicKey(typed[1:]))
		if err != nil {
			return nil, err
		}
		verifiers = append(verifiers, witness.Verifier())
	}
	return verifiers, err
}

// torchwood makes a verifier of a signer alone: this one has no private key.
type publicKey ed25519.PublicKey

func (key publicKey) Public() crypto.PublicKey { return ed25519.PublicKey(key) }

func (publicKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.New("no private key")
}

func opened(text string, verifiers []note.Verifier) (seenTree, error) {
	read, err := note.Open([]byte(text), note.VerifierList(verifiers...))
	if err != nil {
		return seenTree{}, err
	}
	checkpoint, err := torchwood.ParseCheckpoint(read.Text)
	if err != nil {
		return seenTree{}, err
	}
	tree, isSigned := seenTree{checkpoint.Tree, map[string]int64{}}, false
	for _, signature := range read.Sigs {
		if signature.Name == verifiers[0].Name() {
			isSigned = checkpoint.Origin == signature.Name
			continue
		}
		if tree.times[signature.Name], err = torchwood.CosignatureTimestamp(signature); err != nil {
			return seenTree{}, err
		}
	}
	if !isSigned {
		return seenTree{}, errors.New("the log has not signed it")
	}
	return tree, nil
}

func included(asked question, tree tlog.Tree) error {
	head, _, _ := strings.Cut(asked.Text, "\n\n")
	lines := strings.Split(head, "\n")
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	id, err := hex.DecodeString(asked.Id)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(id))
}

func verdictOn(trees []seenTree, quorum int) answer {
	told := answer{Verdict: "unwitnessed"}
	for at, tree := range trees {
		for _, other := range trees[:at] {
			if tree.N == other.N && tree.Hash != other.Hash {
				return answer{Verdict: "contradicted"}
			}
		}
	}
	forgetLiars(trees)
	for _, tree := range trees {
		if told.Verdict == "unwitnessed" {
			told.Seen = max(told.Seen, len(tree.times))
		}
		if len(tree.times) < quorum || told.Verdict == "witnessed" && tree.N < told.Size {
			continue
		}
		times := []int64{}
		for _, time := range tree.times {
			times = append(times, time)
		}
		slices.Sort(times)
		by := times[quorum-1]
		told = answer{Verdict: "witnessed", Size: tree.N, By: &by}
		for _, time := range times {
			if time <= by {
				told.Seen++
			}
		}
	}
	return told
}

// Witnesses that have signed a smaller log later than a larger one do not count.
func forgetLiars(trees []seenTree) {
	liars := map[string]bool{}
	for _, smaller := range trees {
		for _, larger := range trees {
			for name, time := range smaller.times {
				later, is := larger.times[name]
				liars[name] = liars[name] || is && smaller.N < larger.N && time > later
			}
		}
	}
	for _, tree := range trees {
		for name := range tree.times {
			if liars[name] {
				delete(tree.times, name)
			}
		}
	}
}
