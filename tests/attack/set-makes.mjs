// Sets and proofs for sets.mjs: genuine ones and forgeries.

import { toHex } from 'alvarium-sdk'

/**
 * Returns a number of keys: none, one near a power of two, where a tree changes its shape, or a random one.
 *
 * @param {import('./random.mjs').Random} random
 */
export function sizeOf(random) {
  return random.pick([0, 1, 2, 3, 4, 7, 8, 9, random.below(40), random.below(300), random.below(20_000)])
}

/**
 * Returns keys as hexadecimal digits; some of them differ in their last byte alone.
 *
 * @param {import('./random.mjs').Random} random
 */
export function keysOf(random, count) {
  const keys = new Set()
  let last = fresh(random)
  while (keys.size < count) {
    last = random.below(8) === 0 ? beside(random, last) : fresh(random)
    keys.add(last)
  }
  return [...keys]
}

function fresh(random) {
  let digits = ''
  for (let word = 0; word < 8; word++) digits += random.next().toString(16).padStart(8, '0')
  return digits
}

/** Returns a key that differs in the last byte, as the closest neighbours do. */
function beside(random, key) {
  return key.slice(0, 62) + random.below(256).toString(16).padStart(2, '0')
}

/** Returns a key to ask about: in the set, next to a key of it, before all, behind all, or any other. */
export function askedOf(random, keys) {
  const kinds =
    keys.length > 0 ? ['in it', 'in it', 'in it', 'beside', 'elsewhere', 'first', 'last'] : ['elsewhere']
  const kind = random.pick(kinds)
  if (kind === 'in it') return random.pick(keys)
  if (kind === 'beside') return beside(random, random.pick(keys))
  if (kind === 'first') return '00'.repeat(32)
  return kind === 'last' ? 'ff'.repeat(32) : fresh(random)
}

const contentIn = (message) => JSON.parse(Buffer.from(message).toString()).content
const messageOf = (content) => Buffer.from(JSON.stringify({ messageType: 'alvarium.SetProof/1', content }))
const hashes = (path) => Buffer.from(path, 'base64')
const path = (bytes) => Buffer.from(bytes).toString('base64')

/** Forgeries of a proof. Each gets the random numbers, the content of a proof, and that of another of the same set. */
export const FORGERIES = {
  'another place': (random, one) => ({
    ...one,
    index: Math.max(0, one.index + random.pick([-2, -1, 1, 2, 2 ** 31, 2 ** 32])),
  }),
  'the place of another': (_, one, other) => ({ ...one, index: other.index }),
  'the path of another': (_, one, other) => ({ ...one, path: other.path }),
  'the entries of another': (_, one, other) => ({ ...one, entries: other.entries }),
  'neighbours that are none': (_, one, other) => {
    const entries = [...one.entries.slice(0, 1), ...other.entries.slice(-1)].sort()
    return {
      ...one,
      says: 'absent',
      entries,
      index: Math.min(one.index, other.index),
      path: one.path + other.path,
    }
  },
  'both paths of neighbours': (_, one, other) => ({
    ...one,
    says: 'absent',
    entries: [one.entries[0] ?? other.entries[0], other.entries.at(-1)].filter(Boolean),
    path: path(Buffer.concat([hashes(one.path), hashes(other.path)])),
  }),
  'the opposite': (_, one) => ({ ...one, says: one.says === 'member' ? 'absent' : 'member' }),
  'one neighbour': (random, one) => ({
    ...one,
    says: 'absent',
    entries: [random.pick(one.entries)].filter(Boolean),
  }),
  'no neighbours': (_, one) => ({ ...one, says: 'absent', index: 0, entries: [], path: '' }),
  'an entry twice': (_, one) => ({ ...one, entries: [...one.entries, ...one.entries].slice(0, 2) }),
  'entries in the other order': (_, one) => ({ ...one, entries: [...one.entries].reverse() }),
  'another entry': (random, one) => ({ ...one, entries: one.entries.map((entry) => beside(random, entry)) }),
  'fewer hashes': (random, one) => ({
    ...one,
    path: path(hashes(one.path).subarray(32 * random.below(2), -32)),
  }),
  'more hashes': (random, one) => ({
    ...one,
    path: path(Buffer.concat([hashes(one.path), random.bytes(32)])),
  }),
  'other hashes': (random, one) => {
    const bytes = hashes(one.path)
    if (bytes.length > 0) bytes[random.below(bytes.length)] ^= 1 << random.below(8)
    return { ...one, path: path(bytes) }
  },
  'hashes in another order': (random, one) => {
    const bytes = hashes(one.path)
    const parts = Array.from({ length: bytes.length / 32 }, (_, at) => bytes.subarray(32 * at, 32 * at + 32))
    return { ...one, path: path(Buffer.concat(random.shuffled(parts))) }
  },
  'a part of a hash': (random, one) => ({
    ...one,
    path: path(hashes(one.path).subarray(random.below(31) + 1)),
  }),
  'another root': (random, one) => ({ ...one, root: toHex(random.bytes(32)) }),
  'another spelling': (_, one) => ({ index: one.index, ...one }),
}

/** @param {Uint8Array} proof @param {Uint8Array} other a genuine proof of the same set, or of another */
export function forged(random, kind, proof, other) {
  const [one, two] = [contentIn(proof), contentIn(other)]
  return messageOf(FORGERIES[kind](random, one, { ...two, root: one.root }))
}
