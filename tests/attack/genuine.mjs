// Genuine messages as a start: all of tests/vectors, and new ones, in JSON, CBOR and the four classic dialects.

import { readFileSync } from 'node:fs'
import {
  cbor,
  classic,
  extractBundle,
  identityBytes,
  memory,
  openSdk,
  source,
  verifyBatch,
  verifyClassic,
} from 'alvarium-sdk'
import { copyOf, treeOfCbor, treeOfJson } from './tree.mjs'

export const DIALECTS = ['go', 'java', 'rust', 'python']
const vectors = (name) => readFileSync(new URL(`../vectors/${name}`, import.meta.url))
const vectorJson = (name) => JSON.parse(vectors(name).toString())

/**
 * @typedef {object} Genuine @property {Buffer} bytes @property {import('./tree.mjs').Node} tree
 * @property {string} [dialect] the dialect of a classic message
 */

/** Returns bundles, batches and bundles extracted from batches. @param {import('./random.mjs').Random} random */
export async function ours(random) {
  const [bundles, batches] = [vectorJson('bundle-1.json'), vectorJson('batch-1.json')]
  const made = vectorJson('bundle-2.json')
  const seed = random.bytes(32)
  const written = [
    ...[...bundles.cases, ...made.cases].map(({ message }) => message),
    ...batches.cases.flatMap(({ message, extracted }) => [message, ...extracted]),
  ].map((text) => Buffer.from(text))
  const json = [...written, ...(await fresh(seed))]
  const keyring = [bundles.publicKey, await publicKeyOf(seed)]
  return { keyring, json: json.map(asJson), cbor: json.map(asCbor), ...(await known(json, keyring)) }
}

/** @param {Buffer} bytes @returns {Genuine} */
const asJson = (bytes) => ({ bytes, tree: treeOfJson(bytes.toString()) })
const codec = cbor()
/** @returns {Genuine} */
const asCbor = (message) => {
  const bytes = Buffer.from(codec.encode(message))
  return { bytes, tree: treeOfCbor(bytes) }
}

async function known(messages, keyring) {
  const identities = new Set(messages.map((message) => Buffer.from(identityBytes(message)).toString('hex')))
  const bundles = new Map()
  for (const message of messages) {
    for (const one of await verifyBatch(message, { keyring })) bundles.set(one.id, JSON.stringify(one))
  }
  return { identities, bundles }
}

const ANNOTATORS = [
  source(),
  { kind: 'n\u00f6', isSatisfied: () => false },
  { kind: '😀', isSatisfied: () => true },
]
const TEXTS = ['', 'edge-7', '\ufeff', 'e\u0301\u2028', 'x'.repeat(200)]

/** Makes messages with each hash, each action and texts of many kinds, alone and in batches. */
async function fresh(seed) {
  const messages = []
  for (const [at, hash] of ['sha256', 'md5', 'none', 'sha256', 'none'].entries()) {
    const { sdk, stream } = await opened(seed, { hash, host: TEXTS[at], tag: TEXTS.at(-at) })
    await everyAction(sdk, Buffer.from(TEXTS[at]))
    await sdk.close()
    messages.push(...stream.messages)
  }
  for (const count of [1, 2, 5, 33]) messages.push(...(await batchOf(seed, count)))
  messages.push(...(await batchOfMade(seed)))
  return messages.map((message) => Buffer.from(message))
}

// Only the number of bundles ends a batch, not this delay.
const HOUR = 3_600_000
const INPUTS = [Buffer.from('a'), { hash: 'none', key: 'é' }, { set: 'ab'.repeat(32) }, Buffer.from('a')]

/** @param hasInputs - classic messages have none */
async function everyAction(sdk, payload, hasInputs = true) {
  await sdk.create(payload)
  await sdk.mutate(Buffer.from('before'), payload)
  if (hasInputs) await sdk.mutate(INPUTS, payload)
  await sdk.transit(payload)
  await sdk.publish(payload)
}

async function batchOf(seed, count) {
  const { sdk, stream } = await opened(seed, { batch: { maxBundles: count, maxDelayMs: HOUR } }, [source()])
  await sdk.createMany(Array.from({ length: count }, (_, at) => Buffer.from(`${at}`)))
  await sdk.close()
  const [message] = stream.messages
  return [message, extractBundle(message, 0), extractBundle(message, count - 1)]
}

/** Makes a batch of bundles with inputs and one without. */
async function batchOfMade(seed) {
  const { sdk, stream } = await opened(seed, { batch: { maxBundles: 3, maxDelayMs: HOUR } })
  const made = [INPUTS, INPUTS.slice(0, 1)].map((inputs) => sdk.mutate(inputs, Buffer.from('x')))
  await Promise.all([...made, sdk.create(Buffer.from('x'))])
  await sdk.close()
  const [message] = stream.messages
  return [message, ...[0, 1, 2].map((index) => extractBundle(message, index))]
}

async function opened(seed, options, annotators = ANNOTATORS) {
  const stream = memory()
  return { stream, sdk: await openSdk({ signingKey: { seed }, annotators, stream, ...options }) }
}

async function publicKeyOf(seed) {
  const { expanded } = await import('./curve.mjs')
  return expanded(seed).pointBytes
}

/** Returns messages of the other SDKs, and ours in their dialects. @param {import('./random.mjs').Random} random */
export async function theirs(random) {
  const seed = random.bytes(32)
  const own = await publicKeyOf(seed)
  const keyrings = {}
  const signed = new Set()
  const messages = []
  for (const dialect of DIALECTS) {
    keyrings[dialect] = [vectors(`keys/${dialect}-public.key`), own]
    const written = vectorJson(`classic/${dialect}.json`).messages.map(({ message }) => Buffer.from(message))
    for (const bytes of [...written, ...(await freshClassic(seed, dialect))]) {
      messages.push({ bytes, dialect, tree: classicTree(bytes) })
      const { annotations } = await verifyClassic(bytes, { keyring: keyrings[dialect] })
      for (const { value } of annotations) signed.add(JSON.stringify(value))
    }
  }
  return { keyrings, signed, messages }
}

async function freshClassic(seed, dialect) {
  const tags = dialect === 'python' ? {} : { tag: '<é>' }
  const { sdk, stream } = await opened(seed, {
    codec: classic({ signingKey: { seed }, dialect }),
    hash: 'none',
    ...tags,
  })
  await everyAction(sdk, Buffer.from('a<b>&=\u2028ß'), false)
  await sdk.close()
  return stream.messages.map((message) => Buffer.from(message))
}

/** Returns the envelope's tree, with the list in place of its base64. */
function classicTree(bytes) {
  const tree = copyOf(treeOfJson(bytes.toString()))
  const content = tree.members.find(([name]) => name === '"content"')
  content[1] = treeOfJson(Buffer.from(JSON.parse(content[1]), 'base64').toString())
  return tree
}
