// Makes lease-1.json from crate/FORMAT.md alone, as make-bundle-1.mjs does for bundle/1.
//
//   node tests/vectors/make-lease-1.mjs > tests/vectors/lease-1.json

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { bundleOf, common, identity, signed, signer, text, u32 } from './format.mjs'

/** RFC 8032 §7.1, TEST 2. */
const subjectSeed = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex')
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), subjectSeed])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
const subject = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(12)
const subjectId = createHash('sha256').update(subject).digest('hex').slice(0, 32)
const bySubject = (bytes) => sign(null, bytes, privateKey).toString('hex')

const list = (texts) =>
  texts === undefined ? Buffer.of(0) : Buffer.concat([Buffer.of(1), u32(texts.length), ...texts.map(text)])

function leaseIdentity({ issuer, subject, name, serial, from, until, hosts, layers, actions, kinds, tags }) {
  return Buffer.concat([
    Buffer.from('alvarium.Lease/1\n'),
    ...[issuer, subject, name, serial, from, until].map(text),
    ...[hosts, layers, actions, kinds, tags].map(list),
  ])
}

const times = { from: '2026-11-20T10:00:00Z', until: '2026-11-20T11:00:00Z' }
const CASES = [
  { name: 'edge-7', serial: '00112233445566778899aabbccddeeff', ...times, kinds: ['src'] },
  { name: '', serial: 'ffffffffffffffffffffffffffffffff', from: '2026-11-20T10:00:00.000000001+23:59', until: '2026-11-20T10:00:60-00:00' },
  { name: '"\\/\b\f\n\r\t\u0001\u007f é 数据 🚀 \u2028', serial: '0'.repeat(32), ...times, hosts: [], layers: ['app', 'os'], actions: ['create', 'mutate', 'transit', 'publish'], kinds: ['*', '\\*', '\\\\'], tags: [''] },
]

function make(said) {
  const lease = { issuer: signer, subject: subject.toString('hex'), ...said }
  const bytes = leaseIdentity(lease)
  const content = { signature: signed(bytes), subjectSignature: bySubject(bytes), ...lease }
  return { lease, identity: bytes.toString('hex'), message: JSON.stringify({ messageType: 'alvarium.Lease/1', content }) }
}

/** Returns a bundle of the subject, which the first lease allows. */
function leased() {
  const { action, ...members } = { ...bundleOf({ action: 'create', payload: 'hello', host: 'edge-7', tag: 'v1', answers: { src: true } }), signer: subjectId }
  const content = { signature: bySubject(identity({ action, ...members })), ...members }
  return JSON.stringify({ action, messageType: 'alvarium.AnnotationBundle/1', content })
}

const origin = 'Made by make-lease-1.mjs from crate/FORMAT.md with node:crypto; the seeds are those of RFC 8032 §7.1 TEST 1 and TEST 2.'
const subjects = { subjectSeed: subjectSeed.toString('hex'), subjectId }
console.log(JSON.stringify({ origin, ...common, ...subjects, leased: leased(), cases: CASES.map(make) }, null, 2))
