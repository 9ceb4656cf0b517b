// Makes bundle-1.json from crate/FORMAT.md alone, with Node's crypto and none of our code: the core must write the
// bytes that an independent reader of the page writes.
//
//   node tests/vectors/make-bundle-1.mjs > tests/vectors/bundle-1.json

import { bundleOf, common, identity, idOf, signed } from './format.mjs'

const CASES = [
  { name: 'create, one annotation', action: 'create', payload: 'hello', host: 'edge-7', tag: 'v1', answers: { src: true } },
  { name: 'create, empty payload, no annotations', action: 'create', payload: '', answers: {} },
  { name: 'mutate', action: 'mutate', previousPayload: 'hello', payload: 'HELLO', layer: 'host', tag: 'edge-7', host: 'edge-7', answers: { src: true, tpm: false } },
  { name: 'transit, ten annotations', action: 'transit', payload: 'x'.repeat(1000), layer: 'os', answers: Object.fromEntries([...'abcdefghij'].map((kind, at) => [kind, at % 3 === 0])) },
  { name: 'publish, md5', action: 'publish', payload: 'hello', hash: 'md5', layer: 'cicd', answers: { src: true } },
  { name: 'create, none, text that JSON escapes', action: 'create', payload: '"\\/\b\f\n\r\t\u0001\u007f é 数据 🚀 \u2028', hash: 'none', host: 'Ümläut "host"', tag: '</tag>&\\\u0000', answers: { 'köln\n': true, tls: false } },
]

function make(call) {
  const { action, ...members } = bundleOf(call)
  const bytes = identity({ action, ...members })
  const signature = signed(bytes)
  return {
    name: call.name,
    payload: Buffer.from(call.payload).toString('hex'),
    ...(call.previousPayload === undefined
      ? {}
      : { previousPayload: Buffer.from(call.previousPayload).toString('hex') }),
    bundle: { action, ...members },
    identity: bytes.toString('hex'),
    id: idOf(bytes),
    signature,
    message: JSON.stringify({
      action,
      messageType: 'alvarium.AnnotationBundle/1',
      content: { signature, ...members },
    }),
  }
}

const origin =
  'Made by make-bundle-1.mjs from crate/FORMAT.md with node:crypto; the seed is that of RFC 8032 §7.1 TEST 1.'
console.log(JSON.stringify({ origin, ...common, cases: CASES.map(make) }, null, 2))
