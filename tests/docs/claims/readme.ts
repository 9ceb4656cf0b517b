import { claimsOf } from './page.js'

export const README = claimsOf('README.md', [
  // Ten lines
  ['You need no broker', 'tests/guide/blocks.test.ts', '$name runs as it is pasted, and prints what it says'],
  [
    "The message has its hash only, unless you choose hash: 'none', where the payload key is the payload itself.",
    'tests/hashing/hashing.test.ts',
    'is the payload itself with hash none: %j',
  ],
  // What you get
  [
    'One signature per call, for up to 32 annotators.',
    'tests/annotators/custom.test.ts',
    'their answers come back in their order, whatever they are and however late',
  ],
  [
    'Everything is signed, action and host included, as unambiguous bytes',
    'tests/seal/identity.test.ts',
    'differ when one field alone differs',
  ],
  [
    'it resolves when the stream has accepted its message, or rejects with the reason',
    'tests/sdk/lifecycle.test.ts',
    'a call resolves only when the stream has accepted the message',
  ],
  [
    'It verifies the other SDKs: messages from Go, Java, Rust and Python.',
    'tests/classic/vectors.test.ts',
    'verifies with its payloads: %s',
  ],
  [
    'It reads their configs and key files unchanged.',
    'tests/config-file/published.test.ts',
    'opens an SDK that publishes what verifies: %s',
  ],
  [
    'Only the outbox in Node uses a native addon.',
    'tests/build/dependencies.test.ts',
    'of all that is installed with the package nothing runs a script, and of what is beside it classic-level alone',
  ],
  // The interfaces
  ['the SDK checks what it returns', 'tests/plug-ins/calls.test.ts', 'when %s %s: %s'],
  [
    'If an annotator throws or answers too late, its answer is "not satisfied" and the call goes on.',
    'tests/annotators/custom.test.ts',
    'because it %s, the answer is false, everybody is told and the call goes on',
  ],
  [
    'An argument of the wrong type is a TypeError.',
    'tests/sdk/arguments.test.ts',
    'every action rejects %s with a TypeError naming the argument',
  ],
  // In a shell
  [
    'Exit code 0: everything verified; 1: something did not; 2: it could not be decided',
    'tests/cli/as-users.test.ts',
    'ends with %i in a pipe, where nothing is coloured: %s',
  ],
  // Speed
  [
    'Time of one create as a multiple of ours.',
    'tests/guide/speed.test.ts',
    'README has the ratios that bench/README.md measured: %s',
  ],
  // Where it runs
  [
    'npm run matrix installs the packed tarball in each of these and runs it.',
    'tests/build/environments.test.ts',
    'has a mark where %s lacks nothing, and else says what',
  ],
  [
    'The package contains its pages in the same folder, all but those on gateways, migrating and threats.',
    'tests/packaging/packaging.test.ts',
    'carries its guide: the links of README and of each page lead to a file in it',
  ],
  [
    'every byte, with test vectors from an independent implementation',
    'tests/independent/vectors.test.ts',
    'says of every golden bundle what was signed, in JSON and in CBOR',
  ],
])
