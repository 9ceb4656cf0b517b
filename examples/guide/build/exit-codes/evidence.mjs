// Writes a folder with evidence for each column of the page of exit codes.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { makePack } from 'alvarium-sdk/packs'
import { readRecords } from 'alvarium-sdk/records'
import { proveMember, proveUpdate, sealSet } from 'alvarium-sdk/sets'

const CSV = 'id,celsius\n1,21.4\n2,19.8\n3,20.1\n'
const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes)
const utf8 = (/** @type {string} */ written) => new TextEncoder().encode(written)

/** Writes evidence of each kind into a folder. @param {string} folder */
export async function writeEvidence(folder) {
  await mkdir(folder, { recursive: true })
  const write = async (/** @type {Record<string, string | Uint8Array>} */ files) => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  }
  const [own, other] = [generateKey(), generateKey()]
  await write(keyFiles(own, other))
  await write({
    'readings.csv': CSV,
    'altered.csv': CSV.replace('19.8', '99.9'),
    'incomplete.csv': CSV.replace('2,19.8\n', ''),
  })
  const evidence = await signedBy(own.signingKey)
  await write(messageFiles(evidence, await signedBy(other.signingKey)))
  await write(await setFiles(own.signingKey))
  await write(await packFiles(evidence, toHex(own.verifyingKey)))
  await write(settings(own))
}

/** @param {import('alvarium-sdk').KeyPair} own @param {import('alvarium-sdk').KeyPair} other */
function keyFiles(own, other) {
  const signers = (/** @type {object} */ rules) => ({
    signers: [
      { name: 'gateway-1', keys: [toHex(own.verifyingKey)], ...rules },
      { name: 'gateway-2', keys: [toHex(other.verifyingKey)] },
    ],
  })
  return {
    'private.key': toHex(own.signingKey),
    'public.key': toHex(own.verifyingKey),
    'stranger.key': toHex(other.verifyingKey),
    'unused.key': toHex(generateKey().verifyingKey),
    'trust.json': JSON.stringify(signers({})),
    'expired.json': JSON.stringify(signers({ until: '2020-01-01T00:00:00Z' })),
    'stranger.json': JSON.stringify({ signers: signers({}).signers.slice(1) }),
  }
}

/** Returns messages about the records in `CSV`, and their checkpoints. @param {Uint8Array} signingKey */
async function signedBy(signingKey) {
  const [stream, notes] = [memory(), memory()]
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream,
    host: 'gateway',
    tag: '',
    checkpoints: checkpoints({ stream: notes, every: 2 }),
  })
  for await (const { bytes } of readRecords([utf8(CSV)], { format: 'csv' })) await sdk.create(bytes)
  await sdk.close()
  return { messages: stream.messages.map(text), notes: notes.messages.map(text) }
}

/** @param {{ messages: string[], notes: string[] }} own @param {{ messages: string[] }} others */
function messageFiles({ messages, notes }, others) {
  const altered = altering(messages)
  const lines = (/** @type {readonly string[]} */ some) => `${some.join('\n')}\n`
  return {
    'messages.ndjson': lines(messages),
    'message.json': `${messages[0]}`,
    'altered.ndjson': lines(altered),
    'altered.json': `${altered[1]}`,
    'incomplete.ndjson': lines(messages.toSpliced(1, 1)),
    'mixed.ndjson': lines([...messages, ...others.messages]),
    'checkpoints.ndjson': lines(notes),
    'data.bin': new Uint8Array(64).fill(7),
  }
}

/** Inverts an annotation's `isSatisfied` in the second message. @param {readonly string[]} messages */
function altering(messages) {
  return messages.map((message, at) =>
    at === 1 ? message.replace('"isSatisfied":true', '"isSatisfied":false') : message,
  )
}

/** @param {Uint8Array} signingKey */
async function setFiles(signingKey) {
  const rows = CSV.trimEnd().split('\n').slice(1).map(utf8)
  const set = await sealSet(rows, { signingKey, name: 'readings' })
  const less = await sealSet(rows.toSpliced(1, 1), { signingKey, name: 'readings' })
  const list = Buffer.concat([...set.list.pieces()])
  return {
    'set.json': set.message,
    'altered-set.json': text(set.message).replace('"rows":3', '"rows":4'),
    'set.list': list,
    'altered.list': Buffer.concat([list.subarray(32), list.subarray(0, 32)]),
    'incomplete.list': Buffer.concat([...less.list.pieces()]),
    'proof.json': proveMember(set.list, /** @type {Uint8Array} */ (rows[1])),
    'less.json': less.message,
    'update.json': await proveUpdate(set.list, less.list),
  }
}

/** @param {{ messages: string[], notes: string[] }} own @param {string} key */
async function packFiles({ messages, notes }, key) {
  const trust = { signers: [{ name: 'gateway-1', keys: [key] }] }
  const packed = async (/** @type {readonly string[]} */ some, /** @type {any} */ more) => {
    const pieces = []
    for await (const piece of makePack(some.map(utf8), { trust, ...more })) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  const [, signer, run] = /\/1\/([\da-f]{32})\/([\da-f]{32})\n/.exec(JSON.parse(notes[0] ?? '').content) ?? []
  const log = { about: { log: { signer, run, from: 0, until: 3 } }, checkpoints: notes.map(utf8) }
  return {
    'evidence.zip': await packed(messages, log),
    'altered.zip': await packed(altering(messages), { about: { query: 'altered' } }),
    'incomplete.zip': await packed(messages.toSpliced(1, 1), log),
  }
}

/**
 * Returns a valid config, a config with a mistake, and a trust policy with a mistake.
 *
 * @param {import('alvarium-sdk').KeyPair} own
 */
function settings({ keyId }) {
  const config = {
    annotators: ['src'],
    hash: { type: 'sha256' },
    signature: {
      public: { type: 'ed25519', path: 'public.key' },
      private: { type: 'ed25519', path: 'private.key' },
    },
    stream: { type: 'console' },
  }
  return {
    'config.json': JSON.stringify(config),
    'altered-config.json': JSON.stringify({ ...config, hash: { type: 'sha257' } }),
    'altered-trust.json': JSON.stringify({ signers: [{ name: 'gateway-1', keys: [keyId] }] }),
  }
}
