// Alters a message item by item along its grammar, or byte by byte.

import { containersOf, copyOf, partsOf, sizeOf, valueIn, withValue } from './tree.mjs'

/** @typedef {import('./random.mjs').Random} Random @typedef {import('./tree.mjs').Node} Node */
/** @typedef {import('./spellings.mjs').JSON_SPELLINGS} Spellings */

const copyOfPart = (part) => withValue(part, copyOf(valueIn(part)))

/** Counts above the limit of any list, and depths beyond any parser's limit. */
const MANY = [2, 16, 255, 256, 257, 300]
const DEEP = [1, 2, 4, 64, 1000]

/** Upper bounds of inserted bytes. Few exceed a message's limit, because these take the most time. */
const LONG = 50_000
const LONGEST = 3_000_000

/**
 * Alterations of one container in place, at one index of its parts.
 *
 * @type {Record<string, (parts: unknown[], at: number, tools: { random: Random, donor: Node, spellings: Spellings }) => void>}
 */
const ALTERATIONS = {
  drop: (parts, at) => parts.splice(at, 1),
  duplicate: (parts, at, { random }) =>
    parts.splice(random.below(parts.length + 1), 0, copyOfPart(parts[at])),
  reorder: (parts, at, { random }) => parts.splice(random.below(parts.length), 0, ...parts.splice(at, 1)),
  rename: (parts, at, { random, spellings }) => {
    if (Array.isArray(parts[at])) parts[at] = [random.pick(spellings.names), valueIn(parts[at])]
  },
  'new member': (parts, at, { random, spellings }) => {
    const value = random.pick(spellings.scalars)
    parts.splice(at, 0, Array.isArray(parts[at]) ? [random.pick(spellings.names), value] : value)
  },
  retype: (parts, at, { random, spellings }) => {
    const value = random.pick([random.pick(spellings.scalars), { items: [] }, { members: [] }])
    parts[at] = withValue(parts[at], value)
  },
  respell: (parts, at, { random, spellings }) => {
    const value = valueIn(parts[at])
    if (value.items || value.members) return
    parts[at] = withValue(parts[at], spellings.respelt(value, random))
  },
  nest: (parts, at, { random, spellings }) => {
    let value = valueIn(parts[at])
    const wrap = random.pick([
      (one) => ({ items: [one] }),
      (one) => ({ members: [[random.pick(spellings.names), one]] }),
    ])
    for (let depth = random.pick(DEEP); depth > 0; depth--) value = wrap(value)
    parts[at] = withValue(parts[at], value)
  },
  lengthen: (parts, at, { random }) => {
    const most = Math.ceil((random.below(500) === 0 ? LONGEST : LONG) / sizeOf(valueIn(parts[at])))
    parts.splice(
      at,
      0,
      ...Array.from({ length: Math.min(most, random.pick(MANY)) }, () => copyOfPart(parts[at])),
    )
  },
  'swap between messages': (parts, at, { random, donor }) => {
    const others = partsOf(random.pick(containersOf(donor)))
    const name = Array.isArray(parts[at]) ? `${parts[at][0]}` : undefined
    const same = others.find((other) => Array.isArray(other) && `${other[0]}` === name)
    // Copy the part, so that the next alteration leaves the donor as it is.
    parts[at] = withValue(parts[at], copyOf(valueIn(same ?? random.pick(others))))
  },
  'exchange inside': (parts, at, { random }) => {
    const other = random.below(parts.length)
    const [one, two] = [valueIn(parts[at]), valueIn(parts[other])]
    parts[at] = withValue(parts[at], two)
    parts[other] = withValue(parts[other], one)
  },
}
const KINDS = Object.keys(ALTERATIONS)

/**
 * Applies one to three alterations.
 *
 * @param {Node} tree @returns {{ tree: Node, kind: string }} the tree, and the kind of the last alteration
 */
export function alter(tree, tools) {
  const { random } = tools
  const copy = copyOf(tree)
  let kind = ''
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0 && sizeOf(copy) < 2 * LONG; left--) {
    const containers = containersOf(copy)
    if (containers.length === 0) break
    const parts = partsOf(random.pick(containers))
    kind = random.pick(KINDS)
    ALTERATIONS[kind](parts, random.below(parts.length), tools)
  }
  return { tree: copy, kind }
}

/** @param {Buffer} bytes @param {Buffer} other @param {Random} random */
export function alterBytes(bytes, other, random) {
  const at = random.below(bytes.length)
  const end = at + 1 + random.below(40)
  const start = bytes.subarray(0, at)
  return random.pick([
    () => Buffer.concat([start, Buffer.of(bytes[at] ^ (1 << random.below(8))), bytes.subarray(at + 1)]),
    () => Buffer.concat([start, Buffer.of(random.below(256)), bytes.subarray(at + 1)]),
    () => Buffer.concat([start, random.bytes(1), bytes.subarray(at)]),
    () => Buffer.concat([start, bytes.subarray(end)]),
    () => Buffer.concat([start, bytes.subarray(at, end), bytes.subarray(at)]),
    () => Buffer.concat([start, other.subarray(random.below(other.length))]),
    () => start,
    () => Buffer.concat([bytes, random.pick([random.bytes(1), bytes, Buffer.from(' '), Buffer.of(0)])]),
  ])()
}
