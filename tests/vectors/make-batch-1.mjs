// Makes batch-1.json from crate/FORMAT.md alone, as make-bundle-1.mjs does for bundle/1.
//
//   node tests/vectors/make-batch-1.mjs > tests/vectors/batch-1.json

import { bundleOf, common, identity, idOf, sha256, signed, signer, text, u32 } from './format.mjs'

/** Returns the root by RFC 9162 §2.1.1, word for word. */
function root(leaves) {
  if (leaves.length === 1) return leaves[0]
  const split = splitOf(leaves.length)
  return sha256(Buffer.of(1), root(leaves.slice(0, split)), root(leaves.slice(split)))
}

/** Returns the path by RFC 9162 §2.1.3.1, word for word. */
function path(leaves, index) {
  if (leaves.length === 1) return []
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split ? [...path(left, index), root(right)] : [...path(right, index - split), root(left)]
}

/** Returns the largest power of two below the size. */
const splitOf = (size) => 2 ** Math.floor(Math.log2(size - 1))

function make(size) {
  const payloads = Array.from({ length: size }, (_, at) => `payload ${at}`)
  const calls = payloads.map((payload) => ({ action: 'create', payload, host: 'edge-7', tag: 'v1', answers: { src: true } }))
  const bundles = calls.map((call, at) => bundleOf(call, at))
  const leaves = bundles.map((bundle) => sha256(Buffer.of(0), identity(bundle)))
  const bytes = Buffer.concat([Buffer.from('alvarium.AnnotationBatch/1\n'), text(signer), u32(size), root(leaves)])
  const signature = signed(bytes)
  const claims = bundles.map(({ signer, ...rest }) => rest)
  const content = { signature, signer, bundles: claims }
  return {
    name: `${size} bundles`,
    payloads: payloads.map((payload) => Buffer.from(payload).toString('hex')),
    identity: bytes.toString('hex'),
    ids: bundles.map((bundle) => idOf(identity(bundle))),
    message: JSON.stringify({ messageType: 'alvarium.AnnotationBatch/1', content }),
    extracted: claims.map(({ action, ...rest }, index) => {
      const proof = { index, size, path: path(leaves, index).map((node) => node.toString('hex')) }
      const content = { signature, proof, signer, ...rest }
      return JSON.stringify({ action, messageType: 'alvarium.BatchedBundle/1', content })
    }),
  }
}

const origin = 'Made by make-batch-1.mjs from crate/FORMAT.md with node:crypto; the seed is that of RFC 8032 §7.1 TEST 1.'
console.log(JSON.stringify({ origin, ...common, cases: [1, 2, 3, 7].map(make) }, null, 2))
