import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { conflicts, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { HASHES } from '../../foundation/model/bundle.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import { isDigest, type PayloadName } from '../../verifying/score/payload-name.js'
import type { MissingPage } from '../completeness/missing.js'
import type { BundleFilter } from '../questions/filter.js'
import type { Store } from '../store.js'
import type { Parameters, Values } from './parameters.js'

export interface Question {
  readonly summary: string
  readonly parameters: Parameters
  /** Name of the answer's schema in the OpenAPI description. */
  readonly answer: string
  ask(store: Store, asked: QuestionCall): Promise<unknown>
}

/** Parameter values of a request, and the trust policy that applies. */
interface QuestionCall {
  readonly values: Values
  readonly trust: TrustPolicy | undefined
  /** Signal that aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** Maximum size of a page. A larger page would delay other requests. */
const MAX_LIMIT = 1_000
/** Limits of an answer about missing messages: signers, and entries in each of a signer's lists. */
const [MAX_SIGNERS, MAX_LISTED] = [100, 100]
const MAX_BYTES = 16 * 1024 * 1024

const limit = (fallback: number, max = MAX_LIMIT) => ({
  description: 'At most so many.',
  schema: { type: 'integer', minimum: 1, maximum: max, default: fallback } as const,
})
const text = (description: string) => ({ description, schema: { type: 'string' } as const })
const moment = (description: string) => ({
  description: `${description} RFC 3339.`,
  schema: { type: 'string', format: 'date-time' } as const,
})

const PAYLOAD = {
  key: { ...text('The payload key. Of hash none it is the payload itself.'), required: true },
  hash: {
    description: 'How the payload became its key.',
    schema: { type: 'string', enum: HASHES, default: 'sha256' },
  },
} as const satisfies Parameters

const PAGE = { limit: limit(100), after: text('The `next` of the page before.') }

export const QUESTIONS: Readonly<Record<string, Question>> = {
  '/payload': {
    summary: 'What is known about a payload',
    parameters: PAYLOAD,
    answer: 'Payload',
    ask: async (store, { values, trust }) => {
      const { answers, signers, hosts, ...about } = await store.about(await nameIn(store, values), { trust })
      const counted = <Name extends string>(counts: ReadonlyMap<string, number>, name: Name) =>
        Array.from(counts, ([one, bundles]) => ({ [name]: one, bundles }))
      return {
        ...about,
        answers: Array.from(answers, ([kind, { yes, no }]) => ({ kind, yes, no })),
        signers: counted(signers, 'signer'),
        hosts: counted(hosts, 'host'),
      }
    },
  },
  '/payload/score': {
    summary: 'How far a payload can be trusted by the policy of the store, and why',
    parameters: PAYLOAD,
    answer: 'Verdict',
    ask: async (store, { values, trust }) => store.why(await nameIn(store, values), { trust }),
  },
  '/payload/history': {
    summary: 'The bundles about a payload, in the order in which they were stored',
    parameters: { ...PAYLOAD, ...PAGE },
    answer: 'Page',
    ask: async (store, { values, trust }) =>
      store.history(await nameIn(store, values), { ...pageIn(values), trust }),
  },
  '/payload/lineage': {
    summary: 'What a payload was made from, or what was made from it',
    parameters: {
      ...PAYLOAD,
      direction: {
        description: 'up: what it was made from. down: what was made from it (for a recall).',
        schema: { type: 'string', enum: ['up', 'down'], default: 'up' },
      },
      limit: limit(MAX_LIMIT),
      implied: {
        description: 'Whether to follow what messages of other SDKs imply, which nobody has signed.',
        schema: { type: 'boolean', default: false },
      },
    },
    answer: 'Lineage',
    ask: async (store, { values: { direction, limit, implied, ...values } }) =>
      store.lineage(await nameIn(store, values), { direction, limit, implied } as object),
  },
  '/payload/messages': {
    summary:
      'The messages that the bundles about a payload came in, as they were received: they verify anywhere',
    parameters: { ...PAYLOAD, limit: limit(100) },
    answer: 'Messages',
    ask: async (store, { values }) => messagesOf(store, await nameIn(store, values), Number(values['limit'])),
  },
  '/bundles': {
    summary: 'The bundles for which all of this is true, in the order in which they were stored',
    parameters: {
      signer: text('Key id of the signer, or its name in the trust policy.'),
      host: text('The host that the bundle names.'),
      kind: text('The kind of one of its annotations.'),
      tag: text('The tag of one of its annotations.'),
      from: moment('Signed then or later.'),
      until: moment('Signed before.'),
      receivedFrom: moment('Received then or later.'),
      receivedUntil: moment('Received before.'),
      receivedUnknown: {
        description:
          'Only those of which it is not known when they were received: without receivedFrom and receivedUntil.',
        schema: { type: 'boolean', default: false },
      },
      ...PAGE,
    },
    answer: 'Page',
    ask: (store, { values, trust }) => {
      const { limit, after, from, until, receivedFrom, receivedUntil, receivedUnknown, ...rest } = values
      const received = spanOf(receivedFrom, receivedUntil)
      if (receivedUnknown && received) throw conflicts('receivedUnknown', 'receivedFrom and receivedUntil')
      const spans = { at: spanOf(from, until), received: receivedUnknown ? 'unknown' : received }
      const given = Object.entries({ ...rest, ...spans }).filter(([, value]) => value !== undefined)
      return store.by(Object.fromEntries(given) as BundleFilter, { ...pageIn(values), trust })
    },
  },
  '/answers': {
    summary:
      'How often annotations were satisfied, and how often not, by hour, host and kind: the newest hour first',
    parameters: {
      from: { ...moment('Signed then or later.'), required: true },
      until: moment('Signed before. At most 31 days after.'),
      limit: limit(MAX_LIMIT),
    },
    answer: 'Answers',
    ask: async (store, { values }) => {
      const [from, maxHours] = [Number(values['from']), Number(values['limit'])]
      const until = Math.min(Number(values['until'] ?? Number.POSITIVE_INFINITY), from + MAX_HOURS_MS)
      const all = await store.answers({ from, until })
      const hours = all
        .slice(0, maxHours)
        .map(({ hour, ...rest }) => ({ hour: new Date(hour).toISOString(), ...rest }))
      return { hours, isWhole: all.length <= maxHours }
    },
  },
  '/signers': {
    summary: 'Signers with the last that was stored of each: the longest silent first',
    parameters: { since: moment('Only those of which nothing was received since then.'), limit: limit(100) },
    answer: 'Signers',
    ask: async (store, { values: { since, limit } }) => ({
      signers: await store.silent({ since, limit } as object),
    }),
  },
  '/missing': {
    summary:
      'What signers have signed, by their checkpoints, and the store does not have: in the order of their key ids',
    parameters: {
      signer: text('Key id of one signer. Default: all that have checkpoints here.'),
      limit: limit(20, MAX_SIGNERS),
      after: text('The `next` of the page before.'),
    },
    answer: 'Missing',
    ask: async (store, { values, signal }) => {
      const { signers, next } = await store.missing({ ...values, signal })
      return { signers: signers.map(shortenLists), ...(next !== undefined && { next }) }
    },
  },
  '/stats': {
    summary: 'How much there is',
    parameters: {},
    answer: 'Stats',
    ask: async (store) => {
      const { quarantined, ...stats } = await store.stats()
      return { ...stats, quarantined: Array.from(quarantined, ([code, messages]) => ({ code, messages })) }
    },
  },
}

function spanOf(from: Values[string], until: Values[string]) {
  return from === undefined && until === undefined ? undefined : { from, until }
}

function shortenLists({
  runs,
  missing,
  gaps,
  forks,
  unlisted,
  isWhole,
  ...rest
}: MissingPage['signers'][number]) {
  const lists = { runs, missing, gaps, forks, unlisted }
  const shortLists = Object.entries(lists).map(([name, list]) => [name, list.slice(0, MAX_LISTED)])
  const isShort = Object.values(lists).every(({ length }) => length <= MAX_LISTED)
  return { ...rest, ...Object.fromEntries(shortLists), isWhole: isWhole && isShort }
}

const MAX_HOURS_MS = 31 * 86_400_000

/**
 * Reads the name of a payload. A key that does not look like a digest, as other SDKs can write one, is
 * accepted only if the store knows the key.
 */
async function nameIn(store: Store, { key, hash }: Values): Promise<PayloadName> {
  const name = { key, hash } as PayloadName
  if (name.hash === 'none' || isDigest(name)) return name
  const { bundles, pruned, madeInto } = await store.about(name)
  if (bundles + pruned + madeInto.length > 0) return name
  const digits = name.hash === 'md5' ? 32 : 64
  throw expected('CONFIG_INVALID', 'key', `the ${digits} hexadecimal digits of ${name.hash}`, quote(name.key))
}

function pageIn({ limit, after }: Values) {
  return { limit, after } as { limit: number; after: string | undefined }
}

async function messagesOf(store: Store, name: PayloadName, maxMessages: number) {
  const messages: { message: string; receivedAt?: number }[] = []
  let bytes = 0
  for await (const { message, ...received } of store.export(name)) {
    bytes += message.length
    if (messages.length === maxMessages || (messages.length > 0 && bytes > MAX_BYTES)) {
      return { messages, isWhole: false }
    }
    messages.push({ message: toBase64(message), ...received })
  }
  return { messages, isWhole: true }
}
