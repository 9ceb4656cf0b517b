import { claimsOf } from './page.js'

/** Configs, HTTP, the command, and other SDKs. */
export const USING = [
  ...claimsOf('examples/guide/config.md', [
    [
      'A misspelt option is an error, and the error suggests the right name',
      'tests/config/slips.test.ts',
      'of %s is named, with the one that was meant',
    ],
    [
      'codecTimeoutMs | 10000',
      'tests/delivery/encoding.test.ts',
      'fail after codecTimeoutMs, 10,000 ms unless told otherwise, and leave no timer',
    ],
    [
      'closeTimeoutMs | 30000',
      'tests/config/defaults.test.ts',
      'close() of an SDK waits for 30 s for a call, unless told otherwise',
    ],
    [
      'Configs of the Go, Java, Rust and Python SDKs work unchanged, as JSON or YAML',
      'tests/config-file/published.test.ts',
      'may be YAML, in a file',
    ],
    [
      'All members of a config that are misspelt, missing or of the wrong type are reported together, each with its path.',
      'tests/config-file/config.test.ts',
      'and so are all others, at once',
    ],
  ]),
  ...claimsOf('examples/guide/http.md', [
    [
      'a signature covers method, host, path and query. It also covers the body',
      'tests/http/rfc9421.test.ts',
      'is signed whole, body included, unless told otherwise',
    ],
    [
      'A signature is valid for five minutes (maxAgeMs), or until its expires if that is earlier',
      'tests/http/bounds.test.ts',
      'has one end: that of its age, or what it says itself if that is earlier',
    ],
    [
      'Clocks may differ by one more minute at either end',
      'tests/http/rfc9421.test.ts',
      'is good from its beginning to its end, by clocks that differ by a minute',
    ],
    [
      'the verifier uses the path that was sent, originalUrl',
      'tests/http/annotator.test.ts',
      'judges the path that was sent, not what a mounted router left of it',
    ],
    [
      'Its signatures never expire, unless they carry expires or you set maxAgeMs.',
      'tests/http/bounds.test.ts',
      'is for ever in the dialect of the other SDKs, unless told otherwise',
    ],
    [
      'a request is then rejected unless it has a nonce, and it answers true',
      'tests/plug-ins/requests.test.ts',
      'by pki-http, which is not satisfied when isNonceFresh %s',
    ],
    [
      'A message beyond them is rejected with MESSAGE_MALFORMED',
      'tests/http/bounds.test.ts',
      'a request is accepted at a limit, and refused with one more',
    ],
    [
      '8 KiB together, with 256 members, parameters and items',
      'tests/http/bounds.test.ts',
      'over the characters of several headers',
    ],
    [
      'With RFC 9421 you can also verify P-256 signatures',
      'tests/http/responses.test.ts',
      'the response of RFC 9421, $name, which is signed with P-256',
    ],
    [
      'verifyResponse then rejects the response for any other request, and for the same request sent again.',
      'tests/http/responses.test.ts',
      'is not the answer to another request, and not to the same one, signed again',
    ],
    [
      'This package itself signs HTTP messages with Ed25519 only.',
      'tests/http/responses.test.ts',
      'is signed with Ed25519 alone',
    ],
  ]),
  ...claimsOf('examples/guide/command.md', [
    ['private.key, readable only by you', 'tests/cli/keys.test.ts', 'lets nobody else read the private key'],
    [
      "The command's own files (its private key, its output) are never payloads, even if they are in the folder.",
      'tests/cli/annotate.test.ts',
      'takes no key and nothing that it writes, and says so (hash %s)',
    ],
    [
      'If the output file already has messages, the command writes nothing.',
      'tests/cli/annotate.test.ts',
      'writes over no messages and adds to none, unless it is told to',
    ],
    [
      'If a quotation mark or a carriage return makes the number of records unclear, the command names line and column.',
      'tests/cli/annotate.test.ts',
      'annotates no record of CSV that is a guess: %s',
    ],
    [
      'A message about another record is rejected, and a record without a message is reported.',
      'tests/cli/verify.test.ts',
      'compares a file that was annotated record by record',
    ],
    [
      'A byte order mark at the start of UTF-8 is skipped.',
      'tests/cli/verify.test.ts',
      'passes over the mark before UTF-8, %s',
    ],
    [
      'Exit code 2 means that it could not check.',
      'tests/cli/config.test.ts',
      'ends with 2 where something kept it from looking',
    ],
    [
      '130 means Ctrl-C',
      'tests/cli/doctor.test.ts',
      'ends with 130 when it is stopped, and has cleaned up by then',
    ],
    [
      'It needs no public key',
      'tests/cli/inspect.test.ts',
      'shows what a message says and what is signed, without a key',
    ],
    [
      'Messages that do not verify count for nothing.',
      'tests/cli/score.test.ts',
      'counts a message once that came twice, and none that does not verify',
    ],
    [
      'If nothing verifies, both commands end with exit code 2.',
      'tests/cli/score.test.ts',
      'passes no gate on nothing: %s',
    ],
    [
      'without a yes of this kind, or with a no, a payload scores 0',
      'tests/cli/score.test.ts',
      'gives 0 where a required kind is not satisfied, or has no answer',
    ],
    [
      'It keeps each one until verify has shown it, or score and lineage have counted it',
      'tests/cli/topic.test.ts',
      'stay with the broker, under a name, when they were not asked for any more',
    ],
    ['It accepts programs and pages of this machine.', 'tests/cli/broker.test.ts', 'lets in, or not, %s'],
  ]),
  ...claimsOf('examples/guide/migrating.md', [
    [
      'writes for their consumers, byte for byte as that SDK would',
      'tests/classic/exact.test.ts',
      'we write byte for byte: %s',
    ],
    [
      "It rejects empty lists, or skips them with classic: { emptyLists: 'pass' }.",
      'tests/subscribe/classic.test.ts',
      'passes over empty lists where that is asked for',
    ],
    [
      'The messages are byte for byte the same as with the signing key itself.',
      'tests/classic/signer.test.ts',
      'are byte for byte those that its key signs: $name',
    ],
    [
      'The SDK asks for all signatures of a message at once',
      'tests/classic/signer.test.ts',
      'is asked for all annotations at once, and the messages keep the order of their calls',
    ],
    [
      "The public key's file may be missing if nothing is verified with it.",
      'tests/config-file/config.test.ts',
      'a public one may be missing where nothing is verified with it, as in the other SDKs',
    ],
    [
      'A misspelt member is an error, and all of them are reported at once.',
      'tests/config-file/config.test.ts',
      'and so are all others, at once',
    ],
    [
      'treats them as missing: Go marshals a nil slice as null',
      'tests/config-file/config.test.ts',
      'as Go marshals slices that are nil',
    ],
    [
      'With python, openSdk rejects a tag and any layer but app, and a call rejects a tag of its own',
      'tests/classic/write.test.ts',
      'what classic messages cannot hold',
    ],
    [
      'It is read as a seed if signature.public is the public key that belongs to it.',
      'tests/config-file/published.test.ts',
      'opens an SDK that publishes what verifies: %s',
    ],
  ]),
  ...claimsOf('examples/guide/react-vue.md', [
    [
      'The private key cannot be read, not even by your own code.',
      'tests/packaging/front-ends.test.ts',
      'keeps its key pair, which nobody can read',
    ],
    [
      'The first subscription is closed before it connects, so the broker sees one.',
      'tests/packaging/front-ends.test.ts',
      'subscribes once, until the component is gone',
    ],
    [
      'The newest verified bundles of the topic, each once. The subscription ends with the component.',
      'tests/packaging/front-ends.test.ts',
      'shows once what another component signs, and nothing that was altered',
    ],
    [
      'Your own worker shares it, from the same IndexedDB',
      'tests/packaging/front-ends.test.ts',
      'shows what it has signed',
    ],
    [
      '79 kB | when P-256 is first used; never with Ed25519',
      'tests/packaging/front-ends.test.ts',
      'with P-256, loads what that needs',
    ],
    [
      'A pool needs the bytes of the private key, so it rejects this key pair.',
      'tests/pool/sealing.test.ts',
      'refuses %s, which cannot be handed to workers',
    ],
    ['134 kB | with the page', 'tests/packaging/weight.test.ts', 'load %s what the guide says'],
    [
      "CORE_UNAVAILABLE | The policy has no 'wasm-unsafe-eval'",
      'tests/packaging/front-ends.test.ts',
      'says what is wrong where the policy has no %s',
    ],
  ]),
]
