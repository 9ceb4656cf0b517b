// Says of DSSE envelopes, one on each line, whether they verify with the library that in-toto's and Sigstore's tools in Go have.
package main

import (
	"bufio"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

type verifier struct{ key crypto.PublicKey }

func (v verifier) KeyID() (string, error)   { return dsse.SHA256KeyID(v.key) }
func (v verifier) Public() crypto.PublicKey { return v.key }

func (v verifier) Verify(_ context.Context, data, sig []byte) error {
	digest := sha256.Sum256(data)
	switch key := v.key.(type) {
	case ed25519.PublicKey:
		if ed25519.Verify(key, data, sig) {
			return nil
		}
	case *ecdsa.PublicKey:
		if ecdsa.VerifyASN1(key, digest[:], sig) {
			return nil
		}
	}
	return errors.New("it does not verify")
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func keyIn(bytes []byte) crypto.PublicKey {
	if len(bytes) == ed25519.PublicKeySize {
		return ed25519.PublicKey(bytes)
	}
	return must(x509.ParsePKIXPublicKey(bytes))
}

func main() {
	key := keyIn(must(hex.DecodeString(os.Args[1])))
	verify := must(dsse.NewEnvelopeVerifier(verifier{key}))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var envelope dsse.Envelope
		err := json.Unmarshal(lines.Bytes(), &envelope)
		if err == nil {
			_, err = verify.Verify(context.Background(), &envelope)
		}
		fmt.Println(err == nil)
	}
	must(0, lines.Err())
}
