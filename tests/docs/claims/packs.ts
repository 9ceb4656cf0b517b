import { claimsOf } from './page.js'

const PACKS = 'tests/packs/packs.test.ts'
const CONTAINER = 'tests/packs/container.test.ts'
const EXPORTS = 'tests/packs/exports.test.ts'
const COMMAND = 'tests/cli/pack.test.ts'
const PAGE = 'tests/examples/pack-page.test.ts'

export const PACKED = claimsOf('examples/guide/packs.md', [
  [
    'It is a ZIP file, so every tool opens it.',
    CONTAINER,
    'is a ZIP file, byte for byte as another writer writes one of the same parts',
  ],
  [
    'reads bytes, a Blob or File, or any stream, once.',
    CONTAINER,
    'is read from a Blob, a stream, and pieces of any length',
  ],
  ['It takes a pool', PACKS, 'verifies in a pool, to the same verdict'],
  ['signal and onProgress.', PACKS, 'ends when its signal aborts, and tells how far it came'],
  [
    'A pack of more than maxBytes (default 1 GiB) is refused.',
    PACKS,
    'refuses more bytes than it was told to read',
  ],
  [
    'It takes the bundles about them out of batches.',
    COMMAND,
    'makes a pack about a payload, of which it takes the bundles out of batches, and verifies it',
  ],
  [
    'or if the file or its verdict was altered. They exit with 2 if signers are unknown, or nothing is in it.',
    COMMAND,
    'exits with 1 for what was altered, with 2 for unknown signers',
  ],
  [
    'It loads nothing, and sends nothing.',
    PAGE,
    'comes to the same bytes of the verdict as Node, and says in a sentence what the pack shows',
  ],
  [
    'what is missing, and what the payload was made from.',
    PAGE,
    'shows what does not verify, and what is missing',
  ],
  [
    "Without it, the policy in the pack counts, and trustedBy is 'pack'.",
    PACKS,
    'verifies with nothing but itself, and says by whose policy',
  ],
  ['With score of verifyPack, your own counts.', PACKS, 'is scored by its own policy, or that of the reader'],
  ['A pack takes no policy with "layers": "stack"', PACKS, 'refuses what cannot be in a pack'],
  [
    'The score is that of the payload and what it was made from.',
    PACKS,
    'is scored by what its payload was made from, too: also by inputs, and not known of sets',
  ],
  [
    'MESSAGE_MALFORMED, which names the part',
    CONTAINER,
    'is refused with any one byte of it changed, taken out, or put in',
  ],
  [
    'isClaimed is false: the messages give another one',
    PACKS,
    'is found out: what is signed does not verify, and the verdict is another',
  ],
  [
    'nothing: the order means nothing, and the verdict is the same',
    PACKS,
    'changes nothing by another order of messages',
  ],
  [
    'checkpoints that list every message of it',
    PACKS,
    'shows that nothing of it was left out, by checkpoints that list it',
  ],
  [
    'a signed set of the ids of its bundles',
    PACKS,
    'is whole if somebody trusted has sealed the ids of its bundles',
  ],
  ['proofs for all payloads of the set', PACKS, 'shows which payloads are in it, by proofs'],
  [
    'what was signed for longer ago than the policy allows is refused.',
    PACKS,
    'that comes late is refused by leases that have ended, except what checkpoints in it show in time',
  ],
  [
    'checkpoints in the pack help old messages.',
    PACKS,
    'that comes late is refused by leases that have ended, except what checkpoints in it show in time',
  ],
  [
    'one message on each line, in files of about 1 MiB.',
    PACKS,
    'divides many messages into parts of about a mebibyte',
  ],
  [
    'and its directory has one spelling.',
    CONTAINER,
    'whose directory is not what its headers say is refused: another tool would see other files',
  ],
  [
    'the same bytes wherever it is recomputed.',
    'tests/independent/packs.test.ts',
    'the golden pack, made in another language, gives the verdict that it has, in both',
  ],
  [
    'readPack gives the bundles of a pack while it is verified',
    EXPORTS,
    'gives the bundles that verify, and at the end what verifyPack gives',
  ],
  [
    'That the file was not altered is known at its end.',
    EXPORTS,
    'refuses at its end a pack that was altered, and cancels a source that nobody reads to the end',
  ],
  [
    'each bundle as a Statement v1 in a DSSE envelope.',
    'tests/independent/exports.test.ts',
    'envelopes verify by the specification of DSSE, with keys of Ed25519 and P-256, and no others do',
  ],
  [
    'you, with a private key of Ed25519 or P-256',
    EXPORTS,
    'are signed by a signer elsewhere, and by no key that verifiers of envelopes do not know',
  ],
  [
    'one document of PROV-JSON: each bundle as a PROV bundle',
    'tests/independent/exports-elsewhere.test.ts',
    'reads our documents, which fit the schema of PROV-JSON',
  ],
  [
    'Annotations of other SDKs are in neither',
    COMMAND,
    'says how many annotations an export leaves out, as no bundle has them',
  ],
  [
    'and have each bundle once.',
    EXPORTS,
    'is the same bytes each time, has each bundle once, and none of nothing',
  ],
  [
    'They take memory for the ids of the bundles alone.',
    EXPORTS,
    'comes in pieces, and takes as little from a long list as it needs',
  ],
])

export const FORMAT_OF_PACKS = claimsOf('crate/FORMAT.md', [
  [
    'in this one spelling: of a payload key of sha256',
    PACKS,
    'has each proof in one spelling, as two verifiers may read another one %s differently',
  ],
  [
    'so a reader MUST refuse a manifest in another spelling',
    CONTAINER,
    'whose manifest is spelled in another way is refused: the pack would have two ids',
  ],
  [
    'A line of fewer than 32 bytes is refused',
    CONTAINER,
    'counts each line that is too short for anything signed, of whatever kind',
  ],
])
