import { claimsOf } from './page.js'

/** Attacks by messages, signatures and keys. */
export const SECURITY_OF_MESSAGES = claimsOf('examples/guide/threats.md', [
  // What is defended, and how
  [
    'every field is in the signed identity bytes',
    'tests/seal/identity.test.ts',
    'differ when one field alone differs',
  ],
  [
    'The short form is refused everywhere but in a proof',
    'tests/sets/inputs.test.ts',
    'has a bundle in short form, which is malformed everywhere else',
  ],
  [
    'the proof must lead to that root from the place that it names',
    'tests/independent/inputs.test.ts',
    'says the same of what ours makes, of each input of many',
  ],
  [
    'nothing is compressed, and the directory must be what the headers say',
    'tests/packs/container.test.ts',
    'whose directory is not what its headers say is refused: another tool would see other files',
  ],
  [
    'Each message is verified, and the verdict is made again and compared.',
    'tests/packs/packs.test.ts',
    'is found out: what is signed does not verify, and the verdict is another',
  ],
  [
    'someone alters a field, in any encoding',
    'crate/tests/cbor.rs',
    'altered_items_mean_in_cbor_what_they_mean_in_json_or_nothing',
  ],
  [
    'every text is length-prefixed, so the identity is injective; property-tested',
    'crate/tests/identity.rs',
    'two_different_bundles_have_different_bytes',
  ],
  [
    "the identity starts with the format's name and version",
    'tests/seal/identity.test.ts',
    'begin with the name and version of the format',
  ],
  [
    'each signature is judged on its own; verified together, they share only an inversion',
    'tests/verify/verify-many.test.ts',
    'names each bad one among good ones, wherever it stands',
  ],
  [
    'Reading refuses public keys of small order, with a component of small order, or in a second encoding.',
    'crate/ed25519x4/tests/standards.rs',
    'taming_the_many_eddsas',
  ],
  ['Hex and ids have one spelling', 'crate/tests/order_and_time.rs', 'an_id_has_one_spelling'],
  [
    'a message names no algorithm. The public key has one.',
    'tests/algorithms/messages.test.ts',
    'cannot be requested: a message does not name its algorithm',
  ],
  [
    'The same number or point under another algorithm is another public key, with another key id',
    'tests/algorithms/messages.test.ts',
    'fits no other key, not even one of the same number',
  ],
  [
    'a signature is 64 bytes, with the lower s, and r and s in range. Everything else is refused',
    'tests/algorithms/standards.test.ts',
    'takes what is valid with the lower s, and nothing else',
  ],
  [
    'a table is made after eight verifications',
    'crate/src/keys/tables.rs',
    'a_key_gets_its_table_with_the_ninth_use',
  ],
  [
    'maxTableBytes bounds all tables',
    'tests/keys/tables.test.ts',
    'holds as many tables as there is room for',
  ],
  [
    'One table replaces another at most every 256 verifications',
    'crate/src/keys/tables.rs',
    'what_was_not_used_for_longest_gives_way_at_most_every_256_verifications',
  ],
  [
    'Bundles have ids of 80 fresh random bits and are never signed twice',
    'tests/seal/entropy.test.ts',
    'all of an id behind its time is random, of calls alone and of those that are sealed together',
  ],
  [
    'two readers see different messages (duplicate members, lone surrogates, unknown members) | refused',
    'crate/tests/message.rs',
    'what_is_wrong_is_named',
  ],
  [
    'A message that names two types is refused.',
    'tests/subscribe/classic.test.ts',
    'has one reading for each message: whoever says two things is refused',
  ],
  [
    'A classic message in which no annotation verifies is rejected, as a bundle is.',
    'tests/subscribe/classic.test.ts',
    'rejects those in which none does, hands them to the dead letters, and goes on',
  ],
  [
    'If someone changes those, it counts as another message',
    'tests/subscribe/classic.test.ts',
    'gives each once with dedup; with another action, which nobody signed, it is another',
  ],
  [
    'a message gets at most 4,096 failed trials, or one search through a larger keyring',
    'tests/classic/altered.test.ts',
    'stops looking for signers when a message has cost 4,096 verifications in vain',
  ],
  [
    'Long texts count as several trials',
    'tests/classic/altered.test.ts',
    'is not asked for long texts more often than for as many bytes as that',
  ],
  [
    'Other work gets its turn of the event loop meanwhile',
    'tests/classic/altered.test.ts',
    'leaves others their turns of the event loop meanwhile',
  ],
  [
    'limits: 2 MiB (16 MiB for a batch, or with inputs), 256 annotations',
    'tests/verify/limits.test.ts',
    'a message verifies up to its longest, and a byte more makes it malformed:',
  ],
  [
    'A batch of an unknown signer is refused before it is hashed.',
    'tests/verify/hostile-batches.test.ts',
    'by somebody who is not in the keyring is not hashed',
  ],
  [
    'reading any 16 MiB took the core less than 24 MiB',
    'tests/verify/hostile-batches.test.ts',
    'whose bundles say nothing in 256 annotations each takes no memory but its own',
  ],
  [
    'less than 36 MiB for a valid batch',
    'tests/verify/hostile-batches.test.ts',
    'that cannot be read in parts takes less than 36 MiB',
  ],
  [
    'each item has one valid encoding; all others are refused',
    'crate/tests/cbor.rs',
    'altered_bytes_are_refused_or_are_the_only_spelling',
  ],
  [
    'A property test alters messages item by item and compares',
    'crate/tests/cbor.rs',
    'altered_items_mean_in_cbor_what_they_mean_in_json_or_nothing',
  ],
  [
    'If anything ends a call half-way (a trap, an exhausted stack), the instance is wiped and replaced.',
    'tests/keys/wiping.test.ts',
    'after the core has trapped, nothing of the private keys is left in what was its memory',
  ],
  [
    'Open SDKs fail closed with CORE_FAILED; keyrings continue',
    'tests/core/failure.test.ts',
    'a keyring goes on with the keys that it has',
  ],
  [
    'a TypeError, or PAYLOAD_INVALID, for that call only; the core and other calls continue',
    'tests/sdk/gone.test.ts',
    'other calls of the same turn get their own messages',
  ],
  [
    '32 bytes or 64 hexadecimal digits can be either, so they are a private key only where you call them a seed',
    'crate/tests/keys.rs',
    'what_may_be_a_public_key_is_no_private_key',
  ],
  // What the audit of a store does not defend
  [
    'Without a token, it stops pages of other origins, and not a client that reaches your server',
    'tests/store/serving.test.ts',
    'without a token: whoever calls this machine by its own name',
  ],
])
