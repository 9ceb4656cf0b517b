// Makes the page of limits and defaults from the option schemas, the core's constants, the size budgets and
// the error codes. A test compares the result with the existing page:
//
//   node js/build/ready.mjs && node examples/guide/build/limits.mjs     writes the page

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AlvariumError } from 'alvarium-sdk'
import { answerTo } from 'alvarium-sdk/http'
import {
  alvarium,
  askSchema,
  check,
  checkpoints,
  completeness,
  doctor,
  file,
  groups,
  inTotoSchema,
  issueLease,
  keyDirectory,
  keyring,
  leased,
  lineage,
  listSchema,
  MAX_EXPANSION,
  MAX_OPEN_SOURCES,
  MAX_PACKET_BYTES,
  MAX_START_BYTES,
  MaxBytes,
  MaxCount,
  manifestSchema,
  missingSchema,
  outbox,
  packs,
  page,
  pool,
  publishing,
  receive,
  receiving,
  records,
  remoteKeys,
  rfc9421,
  scoreSchema,
  scoringInputSchema,
  sdk,
  sealSchema,
  serve,
  silent,
  store,
  subscription,
  trust,
  vulnerability,
  watching,
  webBotAuth,
} from '../../../dist/entries/limits.js'
import { BUDGETS, FILES } from '../../../tests/matrix/sizes.mjs'
import { ROOT } from './pages.mjs'

const PAGE = join(ROOT, 'examples/guide/limits.md')

/** Functions, their pages and schemas. @type {readonly [name: string, page: string, schemas: object[]][]} */
const FUNCTIONS = [
  ['`openSdk`', 'config.md', [sdk]],
  ['`mqtt`', 'streams.md', [publishing]],
  ['`outbox`', 'delivery.md#an-outbox', [outbox]],
  ['`pool`', 'pool.md', [pool]],
  ['`file`', 'streams.md', [file]],
  ['`subscribe`', 'verifying.md', [receiving, subscription]],
  ['`groups`', 'verifying.md#in-groups', [groups]],
  ['`Keyring`', 'keys.md', [keyring]],
  ['`checkpoints`', 'completeness.md', [checkpoints]],
  ['`Completeness`', 'completeness.md', [completeness]],
  ['`completeness`', 'completeness.md', [watching]],
  ['`readRecords`', 'records.md', [records]],
  ['`check`', 'records.md', [check]],
  ['`sealSet`', 'sets.md', [sealSchema]],
  ['`openKeyList`', 'sets.md', [listSchema]],
  ['`openManifest`', 'records.md', [manifestSchema]],
  ['`graph.scoringInput`', 'scoring.md', [scoringInputSchema]],
  ['`verifyPack`, `readPack`', 'packs.md', [packs]],
  [
    '`toInToto`, `toSigstoreBundle`, `toOmsBundle`, `toJws`',
    'packs.md#export-it-to-other-standards',
    [inTotoSchema],
  ],
  ['`openStore`', 'store.md', [store]],
  ['`store.by`, `store.history`', 'store.md#find-bundles', [page]],
  ['`store.score`, `store.why`', 'store.md#score-a-payload', [scoreSchema]],
  ['`store.lineage`', 'store.md#follow-a-payload-its-lineage', [lineage]],
  ['`store.silent`', 'store.md#find-bundles', [silent]],
  ['`store.missing`', 'store.md#find-what-is-missing', [missingSchema]],
  ['`serveStore`', 'store.md#serve-it-over-http', [serve]],
  ['`receive`', 'services.md', [receive]],
  ['`readTrust`', 'trust.md#write-a-policy', [trust]],
  ['`issueLease`', 'trust.md#a-private-key-that-signs-once-an-hour', [issueLease]],
  ['`leased`', 'trust.md#have-it-renewed', [leased]],
  ['`verifyRequest`, `pkiHttp`', 'http.md', [alvarium]],
  ['the same with `rfc9421`', 'http.md', [rfc9421]],
  ['the same with `web-bot-auth`', 'http.md#automated-clients-web-bot-auth', [webBotAuth]],
  ['`jwkSetAt`, `agentKeys`', 'http.md#public-keys-at-a-url', [remoteKeys]],
  ['`keyDirectory`', 'http.md#automated-clients-web-bot-auth', [keyDirectory]],
  ['`vulnerability`', 'annotators.md', [vulnerability]],
  ['`askWitnesses`', 'witnesses.md#ask-witnesses', [askSchema]],
  ['`checkBroker`', 'delivery.md#what-the-broker-keeps', [doctor]],
]

/** Limits of the core, each with a description. @type {readonly [most: number, what: string][]} */
const OF_THE_CORE = [
  [MaxBytes.Message, 'bytes of a message with one bundle, or of a classic message'],
  [MaxBytes.BatchMessage, 'bytes of a message with a batch, or with inputs'],
  [MaxCount.Bundles, 'bundles of a batch, and inputs of a bundle'],
  [MaxCount.Annotators, 'annotators of an SDK'],
  [MaxCount.Annotations, 'annotations of a bundle that is verified'],
  [MaxBytes.Name, "bytes of `host`, and of an annotator's `kind`"],
  [MaxBytes.Tag, 'bytes of a `tag`'],
  [MaxBytes.Unhashed, "bytes of a payload with `hash: 'none'`"],
  [MAX_OPEN_SOURCES, '[sources](sources.md) that are read at a time in a thread'],
]

const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8')

export function limitsPage() {
  return `# Limits and defaults

The numbers on this page are generated from the code, and a test compares them with it.

- Options that end in \`Ms\` take milliseconds, those that end in \`Bytes\` bytes: \`closeTimeoutMs: 5000\` is 5 s.
- A value outside of the limits is \`CONFIG_INVALID\`, and the error names the option.

## Options

The table lists the options that take a number. It also lists options next to them that take one of a few words. The link behind a function
leads to its page. [Trust policies](trust.md#write-a-policy) and [scoring policies](scoring.md#write-a-policy) have their numbers on their own
pages.

${table(['option', 'default', 'or'], FUNCTIONS.flatMap(rowsOf))}

## Messages and payloads

Nothing beyond these limits is published, and no message beyond them verifies. A payload may have any length, unless its hash
is \`none\`. [FORMAT.md](../../crate/FORMAT.md#limits) has the limits of leases, checkpoints, sets, packs and the messages of other SDKs.

${table(['what', 'at most'], ofTheCore())}

## The command

${table(['what', 'at most'], ofTheCommand())}

## Sizes

These are sizes after compression with gzip. CI fails if one is larger. [Where it runs](runtimes.md) says how to load less.

${table(['what', 'at most'], [...Object.entries(BUDGETS), ...Object.entries(FILES)].map(rowOfSize))}

## Error codes

[Troubleshooting](troubleshooting.md) says what each code means, and what you can do about it. The status is what [\`answerTo\`](services.md#what-clients-get) makes of it.

${table(['HTTP status', 'codes'], codes())}
`
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`.replaceAll(/(?<=\|) +(?=\|)/g, ' '))
  return lines.toSpliced(1, 0, `|${head.map(() => '---|').join('')}`).join('\n')
}

/** Returns a row for a function, then one per option. @param {typeof FUNCTIONS[number]} given */
function rowsOf([name, page, schemas]) {
  const rows = schemas.flatMap(({ entries }) => optionsOf(entries, ''))
  return [[`**[${name}](${page})**`, '', ''], ...rows]
}

/** @param {Record<string, any>} entries @param {string} path @returns {string[][]} */
function optionsOf(entries, path) {
  return Object.entries(entries).flatMap(([name, schema]) => {
    const { inner, fallback } = unwrapped(schema)
    if (inner.entries) return optionsOf(inner.entries, `${path}${name}.`)
    const [least, most] = ['min_value', 'max_value'].map(
      (type) => inner.pipe?.find((one) => one.type === type)?.requirement,
    )
    const other = isWord(fallback) ? others(inner, fallback) : ''
    const standard = schema.type === 'optional' ? quantity(name, fallback) : 'none: you must set it'
    if (least !== undefined) return [[`\`${path}${name}\``, standard, range(name, least, most)]]
    return other ? [[`\`${path}${name}\``, `\`${fallback}\``, other]] : []
  })
}

/** @param {string} name @param {number} least @param {number} most */
function range(name, least, most) {
  const from = quantity(name, least)
  return most === Number.MAX_SAFE_INTEGER ? `${from} or more` : `${from} to ${quantity(name, most)}`
}

const isWord = (/** @type {unknown} */ value) => ['string', 'boolean', 'number'].includes(typeof value)

/** Returns an option's choices without its default. @param {any} schema @param {unknown} fallback */
function others({ type, options = type === 'boolean' ? [true, false] : [] }, fallback) {
  return options
    .filter((option) => option !== fallback)
    .map((option) => `\`${option}\``)
    .join(', ')
}

/** Returns the schema inside an optional schema, and the default. @param {any} schema */
function unwrapped(schema) {
  let inner = schema
  while (inner.type === 'optional') inner = inner.wrapped
  return { inner, fallback: schema.default }
}

/** Defaults that depend on another option. @type {Readonly<Record<string, string>>} */
const FOLLOWING = { renewBeforeMs: 'a quarter of `ttlMs`' }

/**
 * Formats a number as a time, as bytes in powers of two, or as a count.
 *
 * @param {string} name of the option: the endings `Ms` and `Bytes` are units
 * @param {unknown} value
 */
function quantity(name, value) {
  if (typeof value === 'function') return FOLLOWING[name]
  if (value === undefined) return 'none'
  const number = Number(value)
  if (number === Number.MAX_SAFE_INTEGER) return 'no limit'
  if (name.endsWith('Ms'))
    return inUnit(number, [
      ['days', 86_400_000],
      ['hours', 3_600_000],
      ['s', 1000],
      ['ms', 1],
    ])
  if (name.endsWith('Bytes'))
    return inUnit(number, [
      ['GiB', 2 ** 30],
      ['MiB', 2 ** 20],
      ['KiB', 2 ** 10],
      ['bytes', 1],
    ])
  return count(number)
}

/**
 * Formats a number in the largest unit that yields at least two, or exactly one.
 *
 * @param {number} number
 * @param {[string, number][]} units
 */
function inUnit(number, units) {
  const [unit, size] = units.find(([, size]) => number >= 2 * size || number === size) ??
    units.at(-1) ?? ['', 1]
  return `${count(Math.floor(number / size))} ${number === size ? unit.replace(/(?<=day|hour|byte)s$/, '') : unit}`
}

const count = (/** @type {number} */ number) => number.toLocaleString('en-US')

function ofTheCommand() {
  return [
    [
      'bytes that a [compressed file](records.md#what-a-record-is) unpacks to',
      `${count(MAX_START_BYTES)}, and ${MAX_EXPANSION} times its length`,
    ],
    ['bytes of a packet that `alvarium broker` accepts', count(MAX_PACKET_BYTES)],
  ]
}

export function ofTheCore() {
  return OF_THE_CORE.map(([most, what]) => [what, count(most)])
}

/** @param {[string, (string | number)[]]} budget */
function rowOfSize([name, [, most]]) {
  return [
    name.replace('all of alvarium-sdk/verify', '`alvarium-sdk/verify`'),
    `${count(Math.ceil(Number(most) / 1000))} kB`,
  ]
}

/** Returns the error codes in the docstring of their type, grouped by HTTP status. */
function codes() {
  const known = [...read('js/foundation/base/errors.ts').matchAll(/^ \* \| `(\w+)` \| .+ \|$/gm)].map(
    ([, code = '']) => code,
  )
  const statusOf = (/** @type {any} */ code) => answerTo(new AlvariumError(code, '')).status
  return [...new Set(known.map(statusOf))].sort().map((status) => {
    const own = known.filter((code) => statusOf(code) === status)
    return [`${status}`, own.map((code) => `\`${code}\``).join(', ')]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, limitsPage())
