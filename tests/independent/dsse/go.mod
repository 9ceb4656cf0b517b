module alvarium.org/tests/dsse

go 1.22

require github.com/secure-systems-lab/go-securesystemslib v0.9.0

require (
	golang.org/x/crypto v0.31.0 // indirect
	golang.org/x/sys v0.28.0 // indirect
)
