// Written after https://go.dev/ref/mod#go-mod-file.
module example.com/locked // ours

go 1.22.3

toolchain go1.22.5

require golang.org/x/text v0.3.0 // indirect
require "github.com/gorilla/websocket" v1.4.0

require (
	github.com/dgrijalva/jwt-go v3.2.0+incompatible
	// a comment
	github.com/local/one v1.0.0
	github.com/forked/two v1.2.0
	github.com/pinned/three v1.0.0 // indirect
	`github.com/kept/four` v0.0.0-20190308221718-c2843e01d9a2
)

replace github.com/local/one => ./one
replace (
	github.com/forked/two => github.com/fork/two v1.2.1
	github.com/pinned/three v1.0.0 => github.com/pinned/three v1.0.1
	github.com/kept/four v9.9.9 => github.com/other/four v1.0.0
)

exclude github.com/gorilla/websocket v1.3.0
retract [v1.0.0, v1.0.5]
