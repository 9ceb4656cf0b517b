import { claimsOf } from './page.js'

const PROOFS = 'tests/sets/proofs.test.ts'
const FORMAT = 'tests/sets/format.test.ts'
const LISTS = 'tests/sets/lists.test.ts'
const UPDATES = 'tests/sets/updates.test.ts'
const CLI = 'tests/cli/set.test.ts'
const INDEPENDENT = 'tests/independent/sets.test.ts'

export const SETS = claimsOf('examples/guide/sets.md', [
  [
    'the payload and a message of less than 1 kB.',
    FORMAT,
    'has less than 1,000 bytes, also with the longest name and host, and a salt',
  ],
  [
    'An item that comes twice is in the set once.',
    LISTS,
    'is sorted, and has each key once, however alike they are',
  ],
  [
    'set seal takes files, folders and pipes.',
    CLI,
    'takes folders, pipes and payload keys, with a salt if there is one',
  ],
  [
    'with 1 if something does not, and with 2 if it cannot be decided.',
    CLI,
    'says what does not verify, and exits with 1; with 2 where it cannot be decided',
  ],
  ['alvarium set update may.list june.list makes an update.', CLI, 'shows what has changed between two sets'],
  [
    'The file may be larger than memory. Only the payload keys are kept.',
    'tests/sources/memory.test.ts',
    'a set of payloads with a gibibyte together is sealed in the memory of a few of them',
  ],
  [
    'A proof of membership shows that the signer sealed this payload.',
    PROOFS,
    'are for the payload that is asked for: another item is refused',
  ],
  [
    'A proof of absence shows two neighbours in the sorted list, with nothing between them.',
    PROOFS,
    'of absence are about what would stand between their neighbours, and nothing else',
  ],
  [
    'Someone with the whole list can check the order once',
    LISTS,
    'is refused when it is not in order, has a key twice, or part of one, or is too long',
  ],
  [
    'A proof of absence contains the payload keys of up to two other payloads.',
    PROOFS,
    'before the first key and after the last show that one alone',
  ],
  [
    'rows counts every payload, and size different ones.',
    PROOFS,
    'a set with everything twice counts rows and keys',
  ],
  [
    'A signer that puts a payload key in the wrong place can get a proof that it is absent.',
    PROOFS,
    'of a signer that sorts wrongly show the opposite, until somebody checks the order',
  ],
  [
    "'checked' when verifySet had the list.",
    PROOFS,
    'of absence say that the order was checked where the list was compared',
  ],
  [
    'A wrong salt is refused: the message has a hash of the right one.',
    PROOFS,
    'need the salt of a set that has one, and no other',
  ],
  [
    'as many other payloads may have been added as were removed.',
    UPDATES,
    'that leaves out a change is refused when sizes do not add up, or by the lists',
  ],
  ['An update has at most 2,097,152 bytes', UPDATES, 'with more changes than it can have is not made'],
  [
    'A private key that signs by a lease cannot seal a set.',
    FORMAT,
    'is not sealed by a key that signs by a lease, as a set outlives it: the error says what to give',
  ],
  [
    'isSet(message) tells them from bundles.',
    FORMAT,
    'is told from a bundle by its first bytes, and so are proofs',
  ],
  [
    'A verifier in Python, written from it, is in tests/independent/sets.py.',
    INDEPENDENT,
    'agrees about hundreds of messages in which characters were changed',
  ],
  [
    'Random payload keys, as text.',
    'tests/docs/sets-cost.test.ts',
    'the table beside it has the same figures, for up to ten million payload keys',
  ],
  [
    'A trust policy limits sets too: by hosts, by time, and by sets',
    FORMAT,
    'says which sets a signer may seal, and on which hosts',
  ],
  [
    'A subscription skips the messages of sets and proofs of an input, like leases and checkpoints.',
    'tests/trust/subscribed.test.ts',
    'ignores leases, checkpoints and sets if the subscription takes none',
  ],
  [
    'records of a file as readRecords has them',
    LISTS,
    'is payloads, payload keys and records, and nothing else',
  ],
])

export const FORMAT_OF_SETS = claimsOf('crate/FORMAT.md', [
  ['All messages of this chapter have one spelling', FORMAT, 'has one spelling, and at most 8,192 bytes'],
  [
    'sorted as bytes, ascending, and none comes twice.',
    LISTS,
    'is sorted, and has each key once, however alike they are',
  ],
  [
    'For one entry, this is the inclusion proof of RFC 9162 §2.1.3.',
    INDEPENDENT,
    'a verifier in another language reads the same in golden sets, and verifies their proofs',
  ],
  [
    'Everything else is PROOF_INVALID: other roots, two salts, a change that is not shown, another order',
    UPDATES,
    'that is changed anywhere is refused',
  ],
  [
    'Number and root of the inputs stand where bundle/1 has the previous payload key',
    'tests/independent/inputs.test.ts',
    'says of golden bundles with inputs what was signed, in JSON and in CBOR',
  ],
  [
    'A reader MUST refuse it everywhere else, in batches too',
    'tests/sets/inputs.test.ts',
    'has a bundle in short form, which is malformed everywhere else',
  ],
])
