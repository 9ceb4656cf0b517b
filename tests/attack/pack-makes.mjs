// Packs, and changes by three attackers: with the file alone, with a writer of its format, or with a writer of
// verdicts.

import { createHash } from 'node:crypto'
import { generateKey, keyOf, memory, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { bundlesName, makePack } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { endOf, headerOf, readHeader } from '../../dist/evidence/packs/file/zip.js'
import { crc32 } from '../../dist/foundation/base/bytes/checksum.js'

const utf8 = (text) => new TextEncoder().encode(text)

/** @param {Parameters<typeof makePack>} made */
export async function packOf(...made) {
  const pieces = []
  for await (const piece of makePack(...made)) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}

/**
 * Makes a pack that verifies as complete, about a log or a payload, and returns its source too.
 *
 * @param {import('./random.mjs').Random} random
 */
export async function newPack(random) {
  const { signingKey, verifyingKey, keyId } = generateKey()
  const [stream, notes] = [memory(), memory()]
  const logged = checkpoints({ stream: notes, everyMs: 3_600_000, every: 1 + random.below(5) })
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream,
    host: 'edge-7',
    checkpoints: logged,
  })
  const payload = utf8('a reading')
  for (let left = 2 + random.below(6); left > 0; left--) await sdk.transit(payload)
  await sdk.close()
  const trust = { signers: [{ name: 'gateway-1', keys: [toHex(verifyingKey)], confirms: true }] }
  const keyring = await readTrust(trust)
  const { messages } = stream
  const isLog = random.below(2) === 0
  const made = isLog
    ? { about: logOf(notes.messages, keyId, messages.length), checkpoints: notes.messages }
    : await sealed(messages, payload, signingKey, keyring)
  const options = { ...made, trust, at: 0 }
  return { messages, options, keyring, pack: await packOf(messages, options) }
}

function logOf([note], signer, until) {
  const [, run] = /1\/\w{32}\/(\w{32})/.exec(new TextDecoder().decode(note))
  return { log: { signer, run, from: 0, until } }
}

async function sealed(messages, payload, signingKey, keyring) {
  const name = { hash: 'sha256', key: keyOf(payload) }
  const bundles = await Promise.all(messages.map((message) => verifyMessage(message, { keyring })))
  const ids = bundles.map(({ id }) => id.toUpperCase())
  const { message } = await sealSet(ids, { signingKey, name: bundlesName(name) })
  return { about: { payload: name }, sets: [message] }
}

/** Returns the parts of a pack, by its headers. @param {Uint8Array} pack */
export function partsIn(pack) {
  const parts = []
  for (let at = 0; pack[at + 2] === 3; ) {
    const { bytes, nameBytes } = readHeader(pack.subarray(at, at + 30))
    const begin = at + 30 + nameBytes
    const name = new TextDecoder().decode(pack.subarray(at + 30, begin))
    parts.push({ name, content: pack.subarray(begin, begin + bytes) })
    at = begin + bytes
  }
  return parts
}

/** Writes a file of these parts. @param {{ name: string, content: Uint8Array }[]} parts */
export function zipOf(parts) {
  const entries = []
  const pieces = []
  let at = 0
  for (const { name, content } of parts) {
    const entry = { name, bytes: content.length, crc: crc32(content), at }
    entries.push(entry)
    pieces.push(headerOf(entry), content)
    at += headerOf(entry).length + content.length
  }
  return new Uint8Array(Buffer.concat([...pieces, endOf(entries, at)]))
}

/** Changes the parts of a pack, and writes a matching manifest. */
export function remade(pack, change) {
  const all = partsIn(pack)
  const parts = change(all.slice(0, -1))
  const manifest = JSON.parse(new TextDecoder().decode(all.at(-1).content))
  manifest.parts = parts.map(({ name, content }) => ({
    bytes: content.length,
    name,
    sha256: createHash('sha256').update(content).digest('hex'),
  }))
  return zipOf([...parts, { name: 'manifest.json', content: utf8(JSON.stringify(manifest)) }])
}

export function linesOf(content) {
  return new TextDecoder('latin1').decode(content).split('\n').slice(0, -1)
}

export function partOf(name, lines) {
  return { name, content: new Uint8Array(Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1')) }
}
