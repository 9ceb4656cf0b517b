import { claimsOf } from './page.js'

const RULES = 'tests/trust/rules.test.ts'
const TIMES = 'tests/trust/times.test.ts'
const FORMS = 'tests/trust/forms.test.ts'
const UPDATE = 'tests/trust/update.test.ts'
const EVERYWHERE = 'tests/trust/everywhere.test.ts'
const CLI = 'tests/cli/trust.test.ts'
const MODEL = 'tests/trust/model.test.ts'
const LEASED = 'tests/trust/leased.test.ts'
const LEASED_KEYS = 'tests/trust/leased-keys.test.ts'
const LEASES = 'tests/trust/leases.test.ts'
const AFTERNOON = 'tests/trust/afternoon.test.ts'
const LEASES_EVERYWHERE = 'tests/trust/leases-everywhere.test.ts'
const LOGGED_EVERYWHERE = 'tests/trust/logged-everywhere.test.ts'
const LEASE_STREAM = 'tests/trust/lease-stream.test.ts'
const SUBSCRIBED = 'tests/trust/subscribed.test.ts'
const WAITING = 'tests/consume/waiting.test.ts'
const LEASE_MODEL = 'a lease never says more than it may, by every way'
const ALL_WAYS =
  'means the same alone, together, in a batch, taken out of it, in CBOR, in a pool, as a classic message, and while it changes'

export const TRUST = claimsOf('examples/guide/trust.md', [
  [
    'from, until | when it may sign, both times included',
    TIMES,
    'is from one time until another, both included: at %s it is %s',
  ],
  [
    "the policy's own, 60000 by default",
    TIMES,
    'ends a minute after its end for what is on its way, unless the policy says otherwise',
  ],
  [
    'A text means itself, byte for byte: upper and lower case differ.',
    RULES,
    'is compared byte for byte, and as a whole: %j is not edge-7',
  ],
  ['* means any characters, or none.', RULES, 'may be a pattern: %s is edge-7 too'],
  [
    '\\* means a star, and \\\\ a backslash.',
    RULES,
    'takes a star for itself behind a backslash, and an accent as it was written',
  ],
  [
    'An empty list allows nothing, and a missing list allows everything.',
    RULES,
    'is refused under %j, by its field, with what is allowed',
  ],
  [
    'The error names every mistake at once, each with its path.',
    FORMS,
    'names everything that is wrong with it at once, each with its path',
  ],
  [
    'If one bundle of a batch is not allowed, the whole batch is refused.',
    RULES,
    'is checked for each bundle of a batch: one that is not allowed has the batch refused; extracted, the others verify',
  ],
  [
    'So a signer with a list of actions is refused there.',
    EVERYWHERE,
    'proves no action: a signer whose actions are listed is refused',
  ],
  ['Signed requests name a signer or a key id.', EVERYWHERE, 'may name %s'],
  [
    'Lines with namespaces count if alvarium is among them.',
    FORMS,
    'has principals as signers, each of its lines a key, and times of their own',
  ],
  [
    'In a JSON Web Key Set each kid is a signer.',
    FORMS,
    'has signers by kid, and passes over keys that are for other things (RFC 7517 §5)',
  ],
  ['at most maxLeaseMs', LEASES, 'the policy allows all signers that have no limit of their own'],
  ["the policy's own, 86400000 by default", LEASES, 'a lease never says more than'],
  ['Only a trust policy accepts them', LEASES, 'need a trust policy, which says who may give them'],
  ['what the policy allows its issuer and the lease itself allows', MODEL, LEASE_MODEL],
  [
    'revoked | with its issuer, or alone by its serial, in revokedLeases. Only the time of receipt counts',
    LEASES,
    'is known by its serial, and judged only by when messages were received',
  ],
  ['So a bad lease next to a good one does no harm.', LEASES, 'does not stand in the way of a good one'],
  ['A lease cannot give another lease.', LEASES, 'is one whose issuer is a key that has a lease itself'],
  [
    'its own name and rules count.',
    LEASES,
    'is one that is given to a key of the policy: whoever has a name keeps it',
  ],
  [
    'The private key that gets the lease signs it too.',
    LEASES,
    'is one that its issuer did not sign, or its subject',
  ],
  ['It rejects if there is no lease.', LEASED, 'is not opened without a first lease'],
  [
    'Each later lease goes to onLease too, and is used once that has resolved. It is for the same private key.',
    LEASED,
    'renews it in time, for the same key: what is signed in between verifies with the one or the other',
  ],
  [
    'When the lease ends, calls reject with SIGNER_FAILED.',
    LEASED,
    'goes on until its lease ends when the signer is away, then rejects, and goes on when it is back',
  ],
  ['It works with a pool and with batches.', LEASED_KEYS, 'works with a pool'],
  [
    'Each lease is published before the first message that needs it. It is published again every 256 messages',
    LEASE_STREAM,
    'publishes one before its first message, and again after every so many',
  ],
  [
    'and after a minute with the next message',
    LEASE_STREAM,
    'publishes it again with the first message after some time, and never without a message',
  ],
  [
    'onLease is awaited before the lease is acknowledged.',
    SUBSCRIBED,
    'hands each new lease over before it is acknowledged, and recognizes it after a restart',
  ],
  [
    'This revokes all public keys of gateway-1, the new one of a rotation too.',
    CLI,
    'revokes a signer, or one of its keys',
  ],
  [
    'Until tomorrow both verify, under one name',
    AFTERNOON,
    'the afternoon of the guide: a key is replaced under load with nothing refused, one is revoked, and a hole is found',
  ],
  [
    'The files may have other lines too',
    CLI,
    'takes leases, out of files with one on each line, in verify and in score',
  ],
  ['They pass them over as messages, and say how many they were.', LOGGED_EVERYWHERE, '%s, by the command'],
  [
    'A message that comes late then waits',
    LOGGED_EVERYWHERE,
    'waits in a subscription for %s, and others pass',
  ],
  ['The verdicts are the same as in code.', LEASES_EVERYWHERE, '%s, when the command is asked'],
  [
    'The name of a signer stands only for its public keys in the policy.',
    LEASES_EVERYWHERE,
    'names the id of its key: the name of its signer stands for the keys of the policy alone',
  ],
  [
    'or as a function that returns the current ones',
    LEASES_EVERYWHERE,
    'is judged by the leases that there are when it comes',
  ],
  [
    'Without the right lease, an annotation is SIGNATURE_INVALID',
    LEASES_EVERYWHERE,
    '%s, or a classic annotation',
  ],
  [
    'No one signs the action: a lease with actions is refused.',
    LEASES_EVERYWHERE,
    'proves no action, which the lease may not list either',
  ],
  [
    'both show the entries of the policy first, then those of the lease.',
    LEASES_EVERYWHERE,
    'shows the rules of the policy, then those of the lease, and the time that is in both',
  ],
  ['In a group, each member gets all leases.', SUBSCRIBED, 'has each member of a group know all leases'],
  ['wait for it, for 10 s at most.', WAITING, 'is over after 10 seconds, and does not wait once more'],
  [
    'At most 1,000 messages wait, 8 MiB of them, 64 of one key id',
    WAITING,
    'has %s at most: the oldest gives way',
  ],
  [
    'half of the most that the broker has sent so far without an acknowledgement counts, or 5',
    WAITING,
    'has half of the window at most: with %i of %i known, %i',
  ],
  [
    'what comes after them is delivered and acknowledged first.',
    SUBSCRIBED,
    'has bundles that come before their lease wait in their order, and lets others pass',
  ],
  [
    'take them in any order: Mosquitto, RabbitMQ and the broker of the tests do',
    'tests/trust/rabbitmq.test.ts',
    'RabbitMQ takes acknowledgements out of order: what waits for its lease is lost neither meanwhile nor by a restart',
  ],
  [
    'and it was received by until plus acceptLateMs',
    TIMES,
    'is over for what comes later than acceptLateMs after it: received at %s it is %s',
  ],
  [
    'it was received before since. The timestamp does not matter: a thief writes any',
    TIMES,
    'is judged by the receipt alone, as a thief writes any time: received at %s it is %s',
  ],
  [
    'Subscriptions know when a message was received.',
    EVERYWHERE,
    'judges by when a message came, rejects what is not allowed, and follows an update',
  ],
  [
    'The command shows which lines differ, and replaces the file at once.',
    CLI,
    'gives a signer a new key beside the old one, which ends',
  ],
  [
    'Each message is judged by one policy as a whole: the old one or the new one.',
    UPDATE,
    'does not touch what is in progress: a batch of thousands, and hundreds of messages',
  ],
  [
    'A file is taken when it was the same at two looks, a second apart.',
    'tests/trust/watch.test.ts',
    'a file that was just written is not read until it is the same at the next look: half of YAML is YAML',
  ],
  [
    'A file that is not a valid policy changes nothing.',
    'tests/trust/watch.test.ts',
    'a watched file is read again when it is replaced; one that is not a policy changes nothing',
  ],
])

export const SECURITY_OF_TRUST = claimsOf('examples/guide/threats.md', [
  [
    'The lists are compared byte for byte',
    MODEL,
    'a policy means what a plain model of it means: thousands of bundles',
  ],
  [
    'A message whose time of receipt is unknown is refused',
    TIMES,
    'is refused with the reason, before anything that it says is checked',
  ],
  ['A lease longer than maxLeaseMs is refused', LEASES, 'a lease never says more than'],
  [
    'A lease has one spelling, so no two readers see two leases',
    'tests/trust/lease-format.test.ts',
    'a lease has one spelling',
  ],
  [
    'few wait, and for 10 s at most',
    SUBSCRIBED,
    'goes on, in order, while a stranger sends bundles of one random key after the other',
  ],
  [
    'A subscription keeps 10,000 of them, 1,024 of one issuer. The one that ends first makes room',
    'tests/trust/lease-book.test.ts',
    'keeps at most 1,024 of one issuer, and 10,000: the one that ends first makes room',
  ],
  ['at most 1,024 leases, and 1 MiB of them', LEASES, 'are bytes, at most 1,024 of them, and 1 MiB'],
  ['each message is judged by one of the two policies, as a whole', MODEL, ALL_WAYS],
  [
    'a mistake anywhere has the whole policy refused, and the one before still holds.',
    UPDATE,
    'changes nothing if it is invalid',
  ],
  [
    'A watched file is taken when it was the same at two looks.',
    'tests/trust/watch.test.ts',
    'a file that was just written is not read until it is the same at the next look: half of YAML is YAML',
  ],
  [
    'few wait, and for 10 s at most: half of what the broker may send before an acknowledgement.',
    WAITING,
    'has half of the window at most: with %i of %i known, %i',
  ],
  [
    'It must lie in a log that a later lease states.',
    'tests/trust/logged.test.ts',
    'is good however late it comes, and nothing else is: alone, together, in a batch, and taken out of one',
  ],
])
