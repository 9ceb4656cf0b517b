// Command lines for the page of exit codes: one for each command and each kind of evidence.

/** Kinds of evidence, in the order of the columns. */
export const COLUMNS = [
  'good',
  'altered',
  'unknown signer',
  'unreadable',
  'expired',
  'incomplete',
  'own policy only',
]

/**
 * Table cell: a command line, or a command line with what it needs. `listen` runs while the messages of the
 * file `publish` are published. `line` is stopped as soon as its output matches `until`. Undefined if the
 * command does not read this kind of evidence.
 *
 * @typedef {string | { listen: string, publish: string } | { until: RegExp, line: string }} Cell
 * @typedef {Partial<Record<string, Cell>>} Row
 */

/**
 * Returns the row of a command that reads messages.
 *
 * @param {string} asked start of each command line, such as `verify`
 * @param {Row} more cells that are added, or that replace the usual ones
 * @returns {Row}
 */
function ofMessages(asked, more = {}) {
  return {
    good: `${asked} messages.ndjson -k public.key`,
    altered: `${asked} altered.ndjson -k public.key`,
    'unknown signer': `${asked} messages.ndjson -k stranger.key`,
    unreadable: `${asked} none.ndjson -k public.key`,
    expired: `${asked} messages.ndjson -t expired.json`,
    'own policy only': `${asked} messages.ndjson`,
    ...more,
  }
}

/** @param {string} asked @returns {Row} */
function ofPacks(asked) {
  return {
    good: `${asked} evidence.zip -k public.key`,
    altered: `${asked} altered.zip -k public.key`,
    'unknown signer': `${asked} evidence.zip -k stranger.key`,
    unreadable: `${asked} none.zip -k public.key`,
    expired: `${asked} evidence.zip -t expired.json`,
    incomplete: `${asked} incomplete.zip -k public.key`,
    'own policy only': `${asked} evidence.zip`,
  }
}

/**
 * Returns the row of a store command that reads no messages: one cell for a store, one for a missing store.
 *
 * @param {string} asked start of each command line
 * @returns {Row}
 */
function ofStore(asked) {
  return { good: `${asked} -d good.db`, unreadable: `${asked} -d none.db` }
}

const LISTEN = 'listen BROKER readings'
const PAYLOAD = '--payload-key PAYLOAD'

/** @type {Record<string, Row>} */
export const ROWS = {
  verify: ofMessages('verify', {
    incomplete: 'verify incomplete.ndjson -k public.key --payload readings.csv',
  }),
  check: {
    good: 'check readings.csv messages.ndjson -k public.key',
    altered: 'check altered.csv messages.ndjson -k public.key',
    'unknown signer': 'check readings.csv messages.ndjson -k stranger.key',
    unreadable: 'check none.csv messages.ndjson -k public.key',
    expired: 'check readings.csv messages.ndjson -t expired.json',
    incomplete: 'check incomplete.csv messages.ndjson -k public.key',
    'own policy only': 'check readings.csv messages.ndjson',
  },
  inspect: { good: 'inspect message.json', unreadable: 'inspect none.json' },
  listen: {
    good: { listen: `${LISTEN} -k public.key -n 3`, publish: 'messages.ndjson' },
    altered: { listen: `${LISTEN} -k public.key -n 2`, publish: 'altered.ndjson' },
    'unknown signer': { listen: `${LISTEN} -k stranger.key -n 1`, publish: 'mixed.ndjson' },
    unreadable: 'listen ws://127.0.0.1:1 readings -k public.key',
    expired: { listen: `${LISTEN} -t expired.json -n 1`, publish: 'mixed.ndjson' },
    'own policy only': LISTEN,
  },
  score: ofMessages('score'),
  lineage: ofMessages('lineage PAYLOAD'),
  audit: ofMessages('audit checkpoints.ndjson', {
    incomplete: 'audit checkpoints.ndjson incomplete.ndjson -k public.key',
  }),
  'set seal': {
    good: 'set seal readings.csv -k private.key -o made.json -l made.list',
    unreadable: 'set seal none.csv -k private.key -o x.json -l x.list',
  },
  'set prove': {
    good: 'set prove set.list --record 2 readings.csv',
    altered: 'set prove set.list --record 2 altered.csv',
    unreadable: 'set prove none.list --record 2 readings.csv',
    incomplete: 'set prove incomplete.list --record 2 readings.csv',
  },
  'set verify': {
    good: 'set verify set.json proof.json --record 2 readings.csv -k public.key',
    altered: 'set verify altered-set.json -k public.key',
    'unknown signer': 'set verify set.json -k stranger.key',
    unreadable: 'set verify none.json -k public.key',
    expired: 'set verify set.json -t expired.json',
    incomplete: 'set verify set.json -k public.key --list incomplete.list',
    'own policy only': 'set verify set.json',
  },
  'set update': {
    good: 'set update set.list incomplete.list',
    altered: 'set update set.list altered.list',
    unreadable: 'set update set.list none.list',
  },
  'store init': { good: 'store init -d made.db' },
  'store ingest': {
    good: 'store ingest messages.ndjson -k public.key -d empty.db',
    altered: 'store ingest altered.ndjson -k public.key -d empty.db',
    'unknown signer': 'store ingest messages.ndjson -k stranger.key -d empty.db',
    unreadable: 'store ingest none.ndjson -k public.key -d empty.db',
    expired: 'store ingest messages.ndjson -t expired.json -d empty.db',
    'own policy only': 'store ingest messages.ndjson -d empty.db',
  },
  'store retry': {
    'unknown signer': 'store retry -k unused.key -d unknown.db',
    good: 'store retry -k public.key -d unknown.db',
    unreadable: 'store retry -k public.key -d none.db',
    'own policy only': 'store retry -d good.db',
  },
  'store about': ofStore(`store about ${PAYLOAD}`),
  'store history': ofStore(`store history ${PAYLOAD}`),
  'store find': ofStore('store find --host gateway'),
  'store lineage': ofStore(`store lineage ${PAYLOAD}`),
  'store score': ofStore(`store score ${PAYLOAD}`),
  'store audit': {
    good: 'store audit -k public.key -d good.db --checkpoint good.txt --vkey VKEY',
    altered: 'store audit -k public.key -d good.db --checkpoint other.txt --vkey VKEY',
    'unknown signer': 'store audit -k stranger.key -d good.db',
    unreadable: 'store audit -k public.key -d none.db',
    expired: 'store audit -t expired.json -d good.db',
    'own policy only': 'store audit -d good.db',
  },
  'store checkpoint': ofStore('store checkpoint -k private.key --origin example.com/store'),
  'store signers': ofStore('store signers'),
  'store missing': {
    good: 'store missing -d good.db',
    unreadable: 'store missing -d none.db',
    incomplete: 'store missing -d incomplete.db',
  },
  'store export': ofStore('store export'),
  'store serve': {
    good: { line: 'store serve -p 0 -d good.db', until: /http:/ },
    unreadable: 'store serve -p 0 -d none.db',
  },
  'store prune': ofStore('store prune --before 2001-01-01T00:00:00Z'),
  'store forget': ofStore(`store forget ${PAYLOAD}`),
  'pack make': {
    ...ofMessages('pack make --query all -o NEW'),
    incomplete: 'pack make --log -o NEW checkpoints.ndjson incomplete.ndjson -k public.key',
  },
  'pack verify': ofPacks('pack verify'),
  'pack export': ofPacks('pack export --as prov -o NEW'),
  doctor: { good: 'doctor BROKER --only retained', unreadable: 'doctor ws://127.0.0.1:1' },
  'config check': {
    good: 'config check config.json',
    altered: 'config check altered-config.json',
    unreadable: 'config check none.json',
  },
  'trust check': {
    good: 'trust check trust.json',
    altered: 'trust check altered-trust.json',
    unreadable: 'trust check none.json',
  },
  'trust explain': {
    good: 'trust explain message.json -t trust.json',
    altered: 'trust explain altered.json -t trust.json',
    'unknown signer': 'trust explain message.json -t stranger.json',
    unreadable: 'trust explain none.json -t trust.json',
    expired: 'trust explain message.json -t expired.json',
    'own policy only': 'trust explain message.json',
  },
  'trust add': {
    good: 'trust add gateway-3 -t trust.json -k unused.key --dry-run',
    unreadable: 'trust add gateway-3 -t trust.json -k none.key --dry-run',
  },
  'trust rotate': {
    good: 'trust rotate gateway-1 -t trust.json -k unused.key --dry-run',
    unreadable: 'trust rotate gateway-1 -t none.json -k unused.key --dry-run',
  },
  'trust revoke': {
    good: 'trust revoke gateway-1 -t trust.json --dry-run',
    unreadable: 'trust revoke gateway-1 -t none.json --dry-run',
  },
  keygen: { good: 'keygen -o NEW -p NEW' },
  'key show': { good: 'key show public.key', unreadable: 'key show none.key' },
  annotate: {
    good: 'annotate readings.csv -k private.key -o NEW',
    unreadable: 'annotate none.csv -k private.key -o NEW',
  },
  broker: { good: { line: 'broker -p 0 --tcp-port 0', until: /ws:/ } },
  witness: { good: { line: 'witness --name w.example/1 --state NEW --signer public.key -p 0', until: /./ } },
  bench: { good: { line: 'bench', until: /./ } },
  completion: { good: 'completion bash' },
}

/** Names of the stores that are made before the rows run. The row of `store init` makes one more, `made`. */
export const STORE_NAMES = ['empty', 'good', 'unknown', 'incomplete']

/** Command lines that make the stores. They run before the rows. */
export const STORES = [
  ...STORE_NAMES.map((name) => `store init -d ${name}.db`),
  'store ingest messages.ndjson checkpoints.ndjson -k public.key -d good.db',
  'store ingest messages.ndjson -k stranger.key -d unknown.db',
  'store ingest incomplete.ndjson checkpoints.ndjson -k public.key -d incomplete.db',
  'store checkpoint -k private.key --origin example.com/store -d incomplete.db -o other.txt',
  'store checkpoint -k private.key --origin example.com/store -d good.db -o good.txt',
]
