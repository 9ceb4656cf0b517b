// Makes bundle-1.json from crate/FORMAT.md alone, with Node's crypto and none of our code: what the core writes
// must be what somebody else reads out of the page.
//
//   node tests/vectors/make-bundle-1.mjs > tests/vectors/bundle-1.json

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex') // RFC 8032 §7.1, TEST 1
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(12)
const signer = createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

const MICROS = 1_795_168_800_123_456n
const TIMESTAMP = '2026-11-20T10:00:00.123456Z'
const ENTROPY = 0x00ff_1122_3344_5566_7788n

const CASES = [
  { name: 'create, one annotation', action: 'create', payload: 'hello', host: 'edge-7', tag: 'v1', answers: { src: true } },
  { name: 'create, empty payload, no annotations', action: 'create', payload: '', answers: {} },
  { name: 'mutate', action: 'mutate', previousPayload: 'hello', payload: 'HELLO', layer: 'host', tag: 'edge-7', host: 'edge-7', answers: { src: true, tpm: false } },
  { name: 'transit, ten annotations', action: 'transit', payload: 'x'.repeat(1000), layer: 'os', answers: Object.fromEntries([...'abcdefghij'].map((kind, at) => [kind, at % 3 === 0])) },
  { name: 'publish, md5', action: 'publish', payload: 'hello', hash: 'md5', layer: 'cicd', answers: { src: true } },
  { name: 'create, none, text that JSON escapes', action: 'create', payload: '"\\/\b\f\n\r\t\u0001\u007f é 数据 🚀 \u2028', hash: 'none', host: 'Ümläut "host"', tag: '</tag>&\\\u0000', answers: { 'köln\n': true, tls: false } },
]

function key(payload, hash) {
  return hash === 'none' ? payload : createHash(hash).update(payload).digest('hex').toUpperCase()
}

function ulid(number) {
  let text = ''
  for (let at = 0; at < 26; at++) {
    text = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number(number & 31n)] + text
    number >>= 5n
  }
  return text
}

const u32 = (number) => Buffer.from(number.toString(16).padStart(8, '0'), 'hex')
const text = (value) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])

function identity(bundle) {
  return Buffer.concat([
    Buffer.from('alvarium.AnnotationBundle/1\n'),
    text(bundle.action),
    text(bundle.key),
    ...(bundle.previousKey === undefined ? [Buffer.of(0)] : [Buffer.of(1), text(bundle.previousKey)]),
    ...[bundle.hash, bundle.host, bundle.layer, bundle.timestamp, bundle.signer].map(text),
    u32(bundle.annotations.length),
    ...bundle.annotations.flatMap(({ id, kind, tag, isSatisfied }) => [text(id), text(kind), text(tag), Buffer.of(isSatisfied ? 1 : 0)]),
  ])
}

function make({ name, action, payload, previousPayload, hash = 'sha256', host = '', layer = 'app', tag = '', answers }) {
  const first = ((MICROS / 1000n) << 80n) | ENTROPY
  const annotations = Object.entries(answers).map(([kind, isSatisfied], at) => ({ id: ulid(first + BigInt(at)), kind, tag, isSatisfied }))
  const previousKey = previousPayload === undefined ? {} : { previousKey: key(previousPayload, hash) }
  const members = { signer, key: key(payload, hash), ...previousKey, hash, host, layer, timestamp: TIMESTAMP, annotations }
  const identityBytes = identity({ action, ...members })
  const signature = sign(null, identityBytes, privateKey).toString('hex')
  return {
    name,
    payload: Buffer.from(payload).toString('hex'),
    ...(previousPayload === undefined ? {} : { previousPayload: Buffer.from(previousPayload).toString('hex') }),
    bundle: { action, ...members },
    identity: identityBytes.toString('hex'),
    signature,
    message: JSON.stringify({ action, messageType: 'alvarium.AnnotationBundle/1', content: { signature, ...members } }),
  }
}

const origin = 'Made by make-bundle-1.mjs from crate/FORMAT.md with node:crypto; the seed is that of RFC 8032 §7.1 TEST 1.'
const file = { origin, seed: seed.toString('hex'), publicKey: publicKey.toString('hex'), keyId: signer, micros: Number(MICROS), entropy: ENTROPY.toString(16), cases: CASES.map(make) }
console.log(JSON.stringify(file, null, 2))
