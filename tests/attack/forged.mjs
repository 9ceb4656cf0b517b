// Messages of a stranger, written and signed by FORMAT.md and node:crypto alone, without a check by the SDK.

import { createHash, createPrivateKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const u32 = (number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
const u64 = (number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}
const text = (given) => {
  const bytes = Buffer.from(given)
  return Buffer.concat([u32(bytes.length), bytes])
}
const message = (messageType, content, more = {}) =>
  Buffer.from(JSON.stringify({ ...more, messageType, content }))

/** The prefix of the 32 bytes of a private key (RFC 8410, 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * @typedef {object} Signer
 * @property {string} hex the public key @property {Buffer} publicKey @property {string} id
 * @property {(bytes: Uint8Array) => Buffer} sign
 */

/** Returns an Ed25519 signer whose key is derived from a number, the same in each run. @returns {Signer} */
export function signerOf(number) {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, sha256(u32(number))]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  return {
    publicKey,
    hex: publicKey.toString('hex'),
    id: sha256(publicKey).subarray(0, 16).toString('hex'),
    sign: (bytes) => signBytes(null, bytes, key),
  }
}

/** The order of the group of P-256 (SEC 2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Returns a new signer of P-256, with its public key as PEM. @returns {Omit<Signer, 'hex'> & { pem: string }} */
export function ecSignerOf() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' })
  const key = { key: pair.privateKey, dsaEncoding: /** @type {const} */ ('ieee-p1363') }
  return {
    publicKey,
    pem: `${pair.publicKey.export({ format: 'pem', type: 'spki' })}`,
    id: sha256(publicKey).subarray(0, 16).toString('hex'),
    sign: (bytes) => withLowS(signBytes('sha256', bytes, key)),
  }
}

function withLowS(signature) {
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
  const low = s > ORDER / 2n ? ORDER - s : s
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(low.toString(16).padStart(64, '0'), 'hex')])
}

/** Returns a payload key of sha256 that differs for each number or text. */
export const payloadKey = (of) =>
  sha256(Buffer.from(String(of)))
    .toString('hex')
    .toUpperCase()

const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export function annotation(number, { kind = 'src', tag = '', isSatisfied = true } = {}) {
  const digits = Array.from({ length: 8 }, (_, at) => BASE32[Math.floor(number / 32 ** (7 - at)) % 32])
  return { id: `01M7XNDGJA9YWRYZVY${digits.join('')}`, kind, tag, isSatisfied }
}

/** Returns the members that bundle/1, bundle/2 and bundles of a batch share. */
function bundleOf({
  action = 'create',
  key = payloadKey(''),
  previousKey,
  inputs,
  hash = 'sha256',
  host = 'edge-7',
  layer = 'app',
  timestamp = '2026-11-20T10:00:00.000000Z',
  annotations = [annotation(0)],
}) {
  const before = previousKey === undefined ? {} : { previousKey }
  const made = inputs === undefined ? before : { inputs }
  return { action, key, ...made, hash, host, layer, timestamp, annotations }
}

function identityOf(signer, { action, key, previousKey, inputs, hash, host, layer, timestamp, annotations }) {
  const from =
    inputs !== undefined
      ? [u32(inputs.length), rootOf(inputs.map(inputLeaf))]
      : previousKey === undefined
        ? [Buffer.of(0)]
        : [Buffer.of(1), text(previousKey)]
  const said = annotations.flatMap((one) => [
    text(one.id),
    text(one.kind),
    text(one.tag),
    Buffer.of(one.isSatisfied ? 1 : 0),
  ])
  return Buffer.concat([
    Buffer.from(`alvarium.AnnotationBundle/${inputs === undefined ? 1 : 2}\n`),
    ...[action, key].map(text),
    ...from,
    ...[hash, host, layer, timestamp, signer.id].map(text),
    u32(annotations.length),
    ...said,
  ])
}

const inputLeaf = (input) =>
  'set' in input
    ? sha256(Buffer.of(0, 1), Buffer.from(input.set, 'hex'))
    : sha256(Buffer.of(0, 0), text(input.hash), text(input.key))

/** Returns the root of RFC 9162 §2.1.1 over leaf hashes. @param {Buffer[]} leaves */
export function rootOf(leaves) {
  if (leaves.length === 0) return sha256()
  let level = leaves
  while (level.length > 1) {
    const next = []
    for (let at = 0; at < level.length; at += 2) {
      next.push(at + 1 < level.length ? sha256(Buffer.of(1), level[at], level[at + 1]) : level[at])
    }
    level = next
  }
  return level[0]
}

/** Returns a message with one bundle. @param {Signer} signer */
export function bundle(signer, said) {
  const { action, ...content } = bundleOf(said)
  const identity = identityOf(signer, { action, ...content })
  const signed = { signature: signer.sign(identity).toString('hex'), signer: signer.id, ...content }
  return message(`alvarium.AnnotationBundle/${said.inputs ? 2 : 1}`, signed, { action })
}

/** Returns the leaf hash of a message with one bundle in logs. */
export const leafOf = (signer, said) => sha256(Buffer.of(0), identityOf(signer, bundleOf(said)))

/** Returns a message with a batch. @param {Signer} signer @param {object[]} all */
export function batch(signer, all) {
  const bundles = all.map(bundleOf)
  const root = rootOf(bundles.map((one) => sha256(Buffer.of(0), identityOf(signer, one))))
  const identity = Buffer.concat([
    Buffer.from('alvarium.AnnotationBatch/1\n'),
    text(signer.id),
    u32(bundles.length),
    root,
  ])
  const signature = signer.sign(identity).toString('hex')
  return message('alvarium.AnnotationBatch/1', { signature, signer: signer.id, bundles })
}

/** Returns a message as Go's SDK writes it. @param {Signer} signer @param {object[]} annotations */
export function classicMessage(signer, annotations, action = 'create') {
  const items = annotations.map(
    ({ id, key = payloadKey(''), kind, tag, isSatisfied, timestamp = '2026-11-20T10:00:00Z' }) => {
      const begin = `{"id":"${id}","key":"${key}","hash":"sha256","host":"vm",${tag ? `"tag":"${tag}",` : ''}"layer":"app","kind":"${kind}"`
      const end = `,"isSatisfied":${isSatisfied},"timestamp":"${timestamp}"}`
      return `${begin},"signature":"${signer.sign(Buffer.from(begin + end)).toString('hex')}"${end}`
    },
  )
  const content = Buffer.from(`{"items":[${items.join(',')}]}`).toString('base64')
  return message('contracts.AnnotationList', content, { action })
}

/** Returns a lease by which `subject` signs for `issuer`. @param {Signer} issuer @param {Signer} subject */
export function lease(issuer, subject, number, { hosts, kinds, tags, log, ...times } = {}) {
  const { from = '2026-11-20T00:00:00Z', until = '2026-11-21T00:00:00Z' } = times
  const serial = number.toString(16).padStart(32, '0')
  const said = { issuer: issuer.id, subject: subject.hex, name: 'edge-7', serial, from, until }
  const list = (texts) =>
    texts ? Buffer.concat([Buffer.of(1), u32(texts.length), ...texts.map(text)]) : Buffer.of(0)
  const identity = Buffer.concat([
    Buffer.from('alvarium.Lease/1\n'),
    ...Object.values(said).map(text),
    ...[hosts, undefined, undefined, kinds, tags].map(list),
    ...(log ? [text(log.run), u64(log.size), text(log.root)] : []),
  ])
  const signature = issuer.sign(identity).toString('hex')
  const subjectSignature = subject.sign(identity).toString('hex')
  return message('alvarium.Lease/1', { signature, subjectSignature, ...said, hosts, kinds, tags, log })
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64')
const EMPTY_ROOT = sha256()

/**
 * Returns a checkpoint.
 *
 * @param {Signer} signer @param {string} run @param {string[]} list its lines `bundles` and `batch`
 */
export function checkpoint(signer, run, list, said = {}) {
  const { number = 0, size = 0, root = sha256(Buffer.from(run)), more = [] } = said
  const { from = { size: 0, root: EMPTY_ROOT }, after, peaks } = said
  const { since = '2026-11-20T10:00:00.000000Z', at = '2026-11-20T10:00:01.000000Z' } = said
  const origin = `checkpoint.alvarium/1/${signer.id}/${run}`
  const lines = [origin, `${size}`, base64(root), `number ${number}`]
  lines.push(`from ${from.size} ${base64(from.root)} ${since}`)
  if (peaks) lines.push(peaks.length > 0 ? `peaks ${base64(Buffer.concat(peaks))}` : 'peaks')
  if (after) lines.push(`after ${after.run} ${after.size} ${base64(after.root)}`)
  lines.push(`at ${at}`, ...list, ...more)
  const signed = `${lines.join('\n')}\n`
  const noteKey = sha256(Buffer.from(`${origin}\n`), Buffer.of(1), signer.publicKey).subarray(0, 4)
  const signature = base64(Buffer.concat([noteKey, signer.sign(Buffer.from(signed))]))
  return message('alvarium.Checkpoint/1', `${signed}\n\u2014 ${origin} ${signature}\n`)
}

/** Returns a set. @param {Signer} signer */
export function set(signer, said) {
  const { name = 'a set', host = 'edge-7', timestamp = '2026-11-20T10:00:00.000000Z' } = said
  const { rows = said.size, size, root } = said
  const identity = Buffer.concat([
    Buffer.from('alvarium.Set/1\n'),
    ...[signer.id, name, host, timestamp].map(text),
    ...[u64(rows), u64(size), root, Buffer.of(0)],
  ])
  const signature = signer.sign(identity).toString('hex')
  const content = {
    signature,
    signer: signer.id,
    name,
    host,
    timestamp,
    rows,
    size,
    root: root.toString('hex'),
  }
  return { id: sha256(Buffer.of(0), identity).toString('hex'), line: message('alvarium.Set/1', content) }
}

/** Returns a proof that a payload is in a set. @param {string} id of the set @param {Buffer[]} path */
export function proof(id, key, { root, index, entries = [key.toLowerCase()], path, says = 'member' }) {
  const content = { says, root: root.toString('hex'), index, entries, path: base64(Buffer.concat(path)) }
  const member = JSON.stringify({ messageType: 'alvarium.SetProof/1', content })
  return Buffer.from(`{"set":"${id}","key":"${key}","proof":${member}}`)
}

/** Returns the leaves of a set, and the levels above them up to its root. @param {string[]} keys sorted */
export function levelsOf(keys) {
  const levels = [keys.map((key) => sha256(Buffer.of(0), Buffer.from(key, 'hex')))]
  for (let level = levels[0]; level.length > 1; level = levels.at(-1)) {
    const next = []
    for (let at = 0; at < level.length; at += 2) {
      next.push(at + 1 < level.length ? sha256(Buffer.of(1), level[at], level[at + 1]) : level[at])
    }
    levels.push(next)
  }
  return levels
}

/** Returns the path from a leaf to the root. @param {Buffer[][]} levels */
export function pathOf(levels, index) {
  const path = []
  for (const [height, level] of levels.slice(0, -1).entries()) {
    const sibling = (index >> height) ^ 1
    if (sibling < level.length) path.push(level[sibling])
  }
  return path
}
