import { claimsOf } from './page.js'

const PROOFS = 'tests/sets/proofs.test.ts'
const FORMAT = 'tests/sets/format.test.ts'
const LISTS = 'tests/sets/lists.test.ts'
const UPDATES = 'tests/sets/updates.test.ts'
const INDEPENDENT = 'tests/independent/sets.test.ts'

export const SETS = claimsOf('examples/guide/sets.md', [
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
    'A wrong salt is found out: the message has a hash of the right one.',
    PROOFS,
    'need the salt of a set that has one, and no other',
  ],
  [
    'as many other payloads may have been added as were removed.',
    UPDATES,
    'that leaves out a change is refused when sizes do not add up, or by the lists',
  ],
  [
    'A trust policy limits sets too: by hosts, by time, and by sets',
    FORMAT,
    'says which sets a signer may seal, and on which hosts',
  ],
  [
    'A subscription skips the messages of sets and proofs of an input, like leases and checkpoints.',
    'tests/trust/subscribed.test.ts',
    'passes over leases, checkpoints and sets that come to a subscription that takes none',
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
])
