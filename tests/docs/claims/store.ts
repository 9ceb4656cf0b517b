import { claimsOf } from './page.js'

const STORING = 'tests/store/storing.test.ts'
const ASKING = 'tests/store/asking.test.ts'
const SOURCES = 'tests/store/sources.test.ts'
const FIGURES = 'tests/store/figures.test.ts'
const SERVING = 'tests/store/serving.test.ts'
const BESIDE = 'tests/store/beside.test.ts'
const OPENING = 'tests/store/opening.test.ts'
const EMBEDDED = 'tests/store/embedded.test.ts'

export const STORE = claimsOf('examples/guide/store.md', [
  [
    'A connection that was lost is opened again with the next call',
    STORING,
    'opens its connection again after it was lost',
  ],
  ['Nothing else may use it. You close it', OPENING, 'a connection that was given stays open'],
  [
    'A second process that opens the folder gets STORE_LOCKED',
    EMBEDDED,
    'one process at a time has a folder: a second one is told which one, and what was stored outlives a kill',
  ],
  [
    'a long query does not stop your MQTT connection',
    EMBEDDED,
    'a long statement of an embedded database keeps nothing else waiting',
  ],
  [
    'The store keeps those that verify, each once, by what is signed of it.',
    BESIDE,
    'is kept once, even if somebody writes it in another way or adds a witness',
  ],
  [
    'A lease or checkpoint is acknowledged when it is committed',
    'tests/store/beside-subscribed.test.ts',
    'comes again to the next ingester, where one ends %s it is committed',
  ],
  [
    'missing() then counts them by who gave the leases',
    'tests/store/beside-subscribed.test.ts',
    'is kept of keys with leases too, by who gave them, and verified again by an audit',
  ],
  ['store.audit verifies them again.', BESIDE, 'is verified again by an audit'],
  [
    'It names the positions that are listed and not there',
    'tests/store/missing.test.ts',
    'is named by position, until it comes',
  ],
  [
    'What was pruned is not missing.',
    'tests/store/missing.test.ts',
    'is not what was pruned; of batches that were, nobody can know',
  ],
  [
    'Nothing is verified again, so no public key is needed',
    'tests/store/missing.test.ts',
    'is found without a key: what was stored is there, whomever the store trusts today',
  ],
  [
    'A signer with more than maxMessages (1,000,000) is not judged',
    'tests/store/missing.test.ts',
    'is not looked for if more is stored than may be remembered, however little is listed',
  ],
  [
    'The verdict is unknown where part of a log cannot be seen',
    'tests/store/missing.test.ts',
    'is unknown where a checkpoint is not there either',
  ],
  ['A Pool is refused', OPENING, 'a Pool is refused, with what to do'],
  [
    'The group is acknowledged after the commit.',
    SOURCES,
    'stores what a subscription has verified, and acknowledges what is stored',
  ],
  [
    'If the process dies before, the broker redelivers it',
    'tests/store/kills.test.ts',
    'a store has each accepted bundle once, whichever of ingesters, broker and server is killed while they come',
  ],
  [
    'Each bundle is stored once.',
    STORING,
    'stores each bundle once, whoever else stores the same at the same time',
  ],
  [
    'The next group is read when the one before is stored.',
    STORING,
    'asks for no more than what is stored next',
  ],
  [
    'A copy in another spelling adds nothing',
    STORING,
    'stores nothing of copies that are spelled in another way',
  ],
  [
    'messages of unknown signers, and rows that the database refuses',
    STORING,
    'goes on beside a row that the database refuses, which it keeps apart',
  ],
  [
    'Messages of unknown signers are kept apart, and no answer contains them.',
    STORING,
    'keeps messages of unknown signers apart, and stores them when their signer is known',
  ],
  ['Then the oldest go.', STORING, 'keeps only so much of unknown signers, and of that the newest'],
  [
    'Each annotation is an entry without an action',
    SOURCES,
    'stores what %s proves: its annotations, without the action',
  ],
  [
    'Lineage ignores that by default',
    SOURCES,
    'follows what a classic mutate implies only if it is told to, as nobody has signed that',
  ],
  [
    'its messages as they were received, which anyone can verify',
    ASKING,
    'exports messages that verify elsewhere',
  ],
  [
    'isWhole is false if it left something out',
    ASKING,
    'has each payload of a lattice once, the nearest first, and says whether there are more',
  ],
  [
    'because a text that verifies may contain the character 0',
    STORING,
    'stores and shows what verifies and databases refuse',
  ],
  [
    'Timestamps are shown as they were signed',
    STORING,
    'shows timestamps as they were signed, and finds them by their moment',
  ],
  [
    'the longest silent first',
    FIGURES,
    'name the signers that are silent for longest first, by when they were heard',
  ],
  ['by hour, host and kind', FIGURES, 'count answers by hour, host and kind, in a time'],
  [
    'without a token, only requests that call this machine by its own name',
    SERVING,
    'without a token: whoever calls this machine by its own name',
  ],
  ['no page of another origin', SERVING, 'no page of another origin, unless it was named'],
  ['More get 503', SERVING, 'lets no more wait than may'],
  ['They say nothing of your database', SERVING, 'says nothing of the database when that fails'],
  [
    'Messages of a topic are acknowledged when they are stored.',
    'tests/cli/store.test.ts',
    'stores what comes, and acknowledges it then: of messages of a durable subscription none is lost',
  ],
  [
    'Any other address needs --token-file',
    'tests/cli/store.test.ts',
    'an address that others reach, without a token',
  ],
])

const ROLES = 'tests/store/roles.test.ts'

export const STORE_OPERATING = claimsOf('examples/guide/store-operating.md', [
  [
    'Neither can change or remove a message or a bundle.',
    ROLES,
    'an ingester neither changes nor removes messages and bundles',
  ],
  [
    'whose last tile each checkpoint lengthens',
    ROLES,
    'an ingester signs the log: each checkpoint lengthens its last tile',
  ],
  ['The ingester adds, and the reader asks.', ROLES, 'a reader asks, and stores nothing'],
  [
    'The ingester and the dashboard each log in as their own role.',
    'tests/examples/stack.test.ts',
    'lets the %s into the database as %s, with the password of that role',
  ],
  [
    'they are texts, which go when nothing names them any more.',
    'tests/store/pruning.test.ts',
    'removes texts that nothing names any more, and finds them if they come again',
  ],
  [
    'A message goes with the last of its bundles',
    'tests/store/pruning.test.ts',
    'keeps a message until the last of its bundles goes',
  ],
  [
    'counts as a copy, and is not stored',
    'tests/store/pruning.test.ts',
    'takes no pruned message for a new one',
  ],
  [
    'A bundle that was removed in another way is a difference',
    'tests/store/pruning.test.ts',
    'names what was removed and not pruned',
  ],
  [
    'It removes each bundle that names the payload',
    'tests/store/pruning.test.ts',
    'is nowhere any more, and neither is its digest; others of its batch verify',
  ],
  [
    'forget removes these too, given the payload or its payload key',
    'tests/store/pruning.test.ts',
    'is forgotten by its hash too: its payload key is nowhere any more',
  ],
  [
    'also those that no bundle has any more',
    'tests/store/pruning.test.ts',
    'leaves the names of hosts, kinds and tags, also where no bundle has them any more',
  ],
  [
    'PostgreSQL plans a statement once for a connection if it has a name.',
    'tests/store/opening.test.ts',
    'a connection may name its statements, which a server then plans once',
  ],
  ['An old version refuses to open a newer store', 'tests/cli/store.test.ts', 'a newer schema'],
])
