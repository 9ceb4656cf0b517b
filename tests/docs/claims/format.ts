import { claimsOf } from './page.js'

export const FORMAT = claimsOf('crate/FORMAT.md', [
  [
    'It is complete enough to implement the formats in another language from this page alone.',
    'tests/independent/vectors.test.ts',
    'says of every golden bundle what was signed, in JSON and in CBOR',
  ],
  // Keys and key ids
  [
    'the same number has two key ids as a public key of two algorithms',
    'tests/algorithms/messages.test.ts',
    'fits no other key, not even one of the same number',
  ],
  [
    'It MUST NOT be of small order or have a component of small order',
    'crate/ed25519x4/tests/standards.rs',
    'taming_the_many_eddsas',
  ],
  [
    'A point MUST be on its curve and MUST NOT be the point at infinity.',
    'crate/algorithms/tests/keys.rs',
    'a_point_is_on_its_own_curve_in_one_of_two_encodings_and_not_at_infinity',
  ],
  [
    'r and s are 32 bytes each, most significant first, from 1 to n − 1.',
    'crate/algorithms/tests/keys.rs',
    'r_and_s_of_0_or_n_are_no_signature',
  ],
  [
    'here only the one with the lower s is a signature',
    'crate/algorithms/tests/standards.rs',
    'the_other_s_verifies_nowhere_and_recovers_nothing',
  ],
  [
    'A signer that gets the other one, or DER, from a key store MUST convert it.',
    'tests/algorithms/signers.test.ts',
    'is published with the lower one, and nobody takes the higher',
  ],
  [
    'key id = the first 16 bytes of SHA-256(K), as 32 lower-case hex digits.',
    'tests/keys/keys.test.ts',
    'is the first 16 bytes of the SHA-256 of the public key, in lower-case hexadecimal',
  ],
  [
    'openssl pkey -pubin -outform DER writes the same 91, 88 and 91 bytes.',
    'tests/algorithms/openssl.test.ts',
    'has the id that FORMAT.md defines, in every form',
  ],
  // Payload keys
  [
    'SHA-256(payload) (FIPS 180-4) as 64 upper-case hex digits',
    'tests/hashing/hashing.test.ts',
    'is the hash of %i bytes, whatever the engine',
  ],
  [
    'the payload itself, which MUST be UTF-8 of at most 65,536 bytes; it is not changed',
    'tests/hashing/hashing.test.ts',
    'exists with hash none up to 65,536 bytes',
  ],
  // bundle/1
  [
    'MUST be present with mutate and MUST NOT be present with any other action',
    'tests/verify/verify.test.ts',
    'the previous key',
  ],
  [
    'with a member that is not in the table, with a missing member, or with the same member twice in one object',
    'crate/tests/message.rs',
    'what_is_wrong_is_named',
  ],
  [
    'Members may be in any order, with white space and escapes as in RFC 8259.',
    'crate/tests/message.rs',
    'a_message_may_have_white_space_escapes_and_another_order',
  ],
  [
    'It writes six digits of fraction and Z.',
    'tests/sdk/actions.test.ts',
    'is RFC 3339 in UTC with microseconds, near now',
  ],
  [
    'Its annotation ids strictly increase from call to call of one open SDK.',
    'tests/sdk/actions.test.ts',
    'are ULIDs that increase within a call and from call to call',
  ],
  [
    'at most nine digits of fraction; second 60 allowed in any minute',
    'crate/tests/order_and_time.rs',
    'every_form_of_rfc_3339_that_other_sdks_write_is_accepted',
  ],
  // Identity bytes, and ids
  [
    'So the identity does not depend on the encoding',
    'tests/verify/ids.test.ts',
    'is the same in JSON and in CBOR',
  ],
  [
    'Example: a small bundle with no annotations',
    'tests/docs/format.test.ts',
    'has the identity bytes that the page shows',
  ],
  ['The bundle of the example above', 'tests/docs/format.test.ts', 'has the id that the page says'],
  [
    'So a bundle has one id: alone, in a batch, taken out of a batch',
    'tests/verify/ids.test.ts',
    'is the same in a batch and taken out of it: %o',
  ],
  [
    'Two calls have two ids, because their annotations have different ids.',
    'tests/delivery/receipt-ids.test.ts',
    'of a call',
  ],
  // Verification
  [
    'So a message of an unknown signer is read, but nothing of it is hashed.',
    'crate/tests/batch.rs',
    'a_stranger_is_told_before_anything_is_hashed',
  ],
  [
    'Here one rule holds for each signature on its own, no matter how many are verified at once',
    'crate/tests/together.rs',
    'many_messages_give_what_each_gives_alone',
  ],
  [
    'verify_strict of ed25519-dalek gives the same verdicts',
    'crate/tests/standards.rs',
    'verifies_exactly_what_ed25519_dalek_verifies_strictly',
  ],
  [
    "of the paper's vectors, from 0 | what it has | verdict",
    'crate/ed25519x4/tests/standards.rs',
    'taming_the_many_eddsas',
  ],
  // batch/1
  ['bundles holds 1 to 65,536 objects.', 'crate/tests/batch.rs', 'a_batch_holds_65536_bundles_and_no_more'],
  [
    'where root is the root of the Merkle tree of RFC 9162 §2.1.1',
    'crate/tests/merkle.rs',
    'roots_are_those_of_the_reference_implementation',
  ],
  [
    'In JSON both are digits only, without sign, fraction or exponent; anything else is malformed.',
    'crate/tests/batch.rs',
    'a_proof_of_another_place_size_or_path_is_refused',
  ],
  [
    'The path MUST have exactly the length that index and size require.',
    'crate/tests/batch.rs',
    'a_proof_of_another_place_size_or_path_is_refused',
  ],
  // CBOR
  [
    'so its CBOR is the core deterministic encoding (RFC 8949 §4.2.1)',
    'tests/codecs/codecs.test.ts',
    'is the core deterministic encoding of RFC 8949: $name',
  ],
  [
    'A reader MUST refuse unknown numbers, a map key given twice, indefinite lengths',
    'crate/tests/cbor.rs',
    'what_the_format_has_no_place_for_is_refused_and_named',
  ],
  [
    'U+FEFF is a character of a text like any other.',
    'crate/tests/cbor.rs',
    'a_byte_order_mark_is_part_of_a_text',
  ],
  // Classic
  ['We write and read all four.', 'tests/classic/exact.test.ts', 'we write byte for byte: %s'],
  [
    'Our writer leaves them out in every dialect.',
    'tests/classic/write.test.ts',
    'begin in a mutate with the source of what was changed, and leave tls out',
  ],
  [
    'So a bundle has exactly one classic message.',
    'tests/classic/write.test.ts',
    'are the same bytes for the same bundle: $name',
  ],
  [
    'Our reader gives up on a message after 4,096 failed trials',
    'tests/classic/altered.test.ts',
    'stops looking for signers when a message has cost 4,096 verifications in vain',
  ],
  [
    'Finding a signer other than the signer of the annotations before it counts as trying the whole keyring',
    'tests/classic/altered.test.ts',
    'counts the trials that it takes to find another signer than before',
  ],
  // lease/1
  ['A lease has one spelling', 'tests/trust/lease-format.test.ts', 'a lease has one spelling'],
  [
    'So it counts as received then, if it came later, or if nobody knows when it came.',
    'tests/independent/leases.test.ts',
    'the same in logs that leases state: what came late is good if it is in one',
  ],
  // Logs of stores
  [
    'Values are those of the message. One that is missing or null is ""',
    'tests/store/sources.test.ts',
    'names annotations of %s in its log as FORMAT.md says',
  ],
  [
    'A record MUST be exactly these bytes',
    'tests/independent/store-logs.test.ts',
    'reads the same in the records of prunings, and refuses the same ones',
  ],
  [
    'A proof that an entry is in the log is a C2SP tlog-proof, for a pruning as for a bundle.',
    'tests/independent/store-logs.test.ts',
    'finds bundles, pruned ones and prunings in the log of a store where ours does, and no others',
  ],
  // Limits
  [
    'annotations of one bundle or classic message | 256',
    'crate/tests/message.rs',
    'a_bundle_has_256_annotations_and_no_more',
  ],
  [
    'our SDK has at most 32 annotators',
    'tests/config/options.test.ts',
    'refuses %s given as %o, saying what was expected and what came',
  ],
  [
    'message with a batch, or with a bundle that has inputs | 16,777,216 bytes',
    'crate/tests/batch.rs',
    'a_batch_holds_16_mib_less_what_is_around_it_and_no_more',
  ],
  [
    'host, kind, a classic layer | 255 bytes',
    'crate/tests/seal.rs',
    'words_are_taken_up_to_their_limits_in_bytes',
  ],
])
