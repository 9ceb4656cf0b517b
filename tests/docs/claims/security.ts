import { claimsOf } from './page.js'

/** The promises of a verdict, and the protection of private keys. */
export const SECURITY = claimsOf('SECURITY.md', [
  // What a verdict does not promise
  [
    'all bundles of a batch share one',
    'tests/delivery/batches.test.ts',
    'a signer of your own signs once per batch',
  ],
  [
    'If you pass payload, the bundle is checked to be about these exact bytes.',
    'tests/verify/fuzz.test.ts',
    'random bytes are no payload of a genuine message',
  ],
  // How private keys are protected
  [
    'Tests look for remains in the core, and on Linux in the whole process.',
    'tests/keys/remains.test.ts',
    'nothing is left after close() of a key that was read as %s',
  ],
  [
    "the copies of a pool's workers",
    'tests/keys/wiping.test.ts',
    'is wiped when the SDK is closed, and before that it is there',
  ],
  [
    'in the WebAssembly, where a test looks for selects and branches',
    'tests/core/constant-time.test.ts',
    '%s chooses nothing by a branch or a select, but for %i known ends of loops',
  ],
  [
    'Private keys and passwords never appear in them.',
    'tests/sdk/arguments.test.ts',
    'when a wrong key holds a secret',
  ],
  [
    'Nor does an argument of readKey that could be a private key instead of a path',
    'tests/keys/key-files.test.ts',
    'a key that is given where its path belongs',
  ],
  [
    'The module that computes with them keeps nothing between calls and wipes its stack',
    'tests/algorithms/remains.test.ts',
    'nothing is left in the module, whatever it was used for',
  ],
  [
    'with 32 fresh random bytes added',
    'crate/algorithms/tests/keys.rs',
    'entropy_makes_another_signature_and_none_the_same_again',
  ],
])
