// Faults in a signer's stream: which messages are left, and the report expected about them.

import { stolen } from './completeness-makes.mjs'
import { forkedFrom } from './forked.mjs'

/** @typedef {import('./completeness-makes.mjs').Sent} Sent */

const NOTHING = {
  missing: 0,
  named: [],
  counted: [],
  forked: [],
  backdated: [],
  silent: 0,
  unsure: 0,
  done: {},
}
/** One message in this many is dropped; a cut is at most this long. */
const [ONE_IN, LONGEST_CUT] = [7, 200]

export const FAULTS = {
  nothing: (_random, { sent }) => ({ left: sent, expected: NOTHING }),
  dropped,
  cut,
  forked,
  backdated,
}

function dropped(random, { sent }) {
  const left = sent.filter(
    (one, at) => isEdge(sent, at) || random.below(one.kind === 'message' ? ONE_IN : 20) > 0,
  )
  return { left, expected: expectedOf(sent, left, 'dropped') }
}

function cut(random, { sent }) {
  const isCut = new Set()
  for (let at = random.below(LONGEST_CUT); at < sent.length; at += 1 + random.below(4 * LONGEST_CUT)) {
    for (const end = at + random.below(LONGEST_CUT); at < end; at++) isCut.add(at)
  }
  const left = sent.filter((_, at) => isEdge(sent, at) || !isCut.has(at))
  return { left, expected: expectedOf(sent, left, 'cut') }
}

/** Adds second checkpoints with the numbers of existing ones. */
function forked(random, { sent, signingKey }) {
  const some = sent.filter(
    ({ kind, read }) => kind === 'checkpoint' && read.size > read.from.size && random.below(2) === 0,
  )
  const others = some.map((one) => ({ ...one, message: forkedFrom(one, signingKey) }))
  const told = some.map(({ id, read }) => `${id} ${read.size}`).sort()
  return { left: [...sent, ...others], expected: { ...NOTHING, forked: told, done: { forked: told.length } } }
}

/** Adds messages signed with the stolen key, between the first and the last genuine one. */
async function backdated(random, signer) {
  const times = signer.sent.map(({ at }) => at)
  const [begin, end] = [Math.min(...times) + 2000, Math.max(...times) - 2000]
  const some = Array.from(
    { length: end > begin ? Math.ceil(times.length / ONE_IN) : 0 },
    () => begin + random.below(end - begin),
  )
  const others = await stolen(
    signer,
    some.sort((a, b) => a - b),
  )
  const ids = others.map(({ verified: [{ id }] }) => id).sort()
  return {
    left: [...signer.sent, ...others],
    expected: { ...NOTHING, backdated: ids, done: { backdated: ids.length } },
  }
}

/**
 * Returns whether an item is the first or the last checkpoint of a run. No reader can tell what followed the last one.
 */
function isEdge(sent, at) {
  const { kind, id, position } = sent[at]
  return (
    kind === 'checkpoint' &&
    (position === 0 || !sent.some((one) => one.kind === kind && one.id === id && one.position > position))
  )
}

/** @param {readonly Sent[]} sent @param {readonly Sent[]} left */
function expectedOf(sent, left, what) {
  const [named, counted, gaps] = [[], [], []]
  let tails = 0
  for (const id of new Set(sent.map((one) => one.id))) {
    const of = (list, kind) => list.filter((one) => one.id === id && one.kind === kind)
    const absent = of(sent, 'message')
      .filter((one) => !left.includes(one))
      .map(({ position }) => position)
    const lists = of(left, 'checkpoint').map(({ read }) => read)
    const { size: end, at: endAt, isLast: hasEnded } = lists.at(-1)
    const tail = of(left, 'message').filter(({ position }) => position >= end)
    if (!hasEnded && tail.length > 0) {
      gaps.push({ id, since: endAt, until: tail.at(-1).verified[0].timestamp })
      tails += tail.length
    }
    for (const [at, { from, size, pending, number, isLast }] of lists.entries()) {
      const before = lists[at - 1]
      if (before && from.size > before.size) {
        gaps.push({ id, since: lists[at - 1].at, until: from.at })
        const count = absent.filter((one) => one >= before.size && one < from.size).length
        if (count > 0) counted.push(`${id} ${count} of ${before.size} to ${from.size - 1}`)
      }
      // Only the next checkpoint tells whether pending messages are missing.
      const isUntold = (one) => lists[at + 1]?.number !== number + 1 && !isLast && isIn(pending, one)
      for (const one of absent)
        if (one >= from.size && one < size && !isUntold(one)) named.push(`${id} ${one}`)
    }
  }
  const missing = named.length + countedIn(counted)
  if (!isMixed(gaps))
    return { ...NOTHING, missing, named: named.sort(), counted: counted.sort(), done: { [what]: missing } }
  return {
    ...NOTHING,
    missing,
    unsure: tails,
    named: named.sort(),
    counted: 'mixed',
    done: { [what]: missing },
  }
}

/** Returns how many messages are missing in gaps. @param {readonly string[]} counted */
function countedIn(counted) {
  return counted.reduce((total, text) => total + Number(text.split(' ')[1]), 0)
}

/**
 * Returns whether gaps of two runs, or a gap and a tail, overlap in time. A message of that time could belong to either
 * log.
 */
function isMixed(gaps) {
  const slackMs = 1000
  const isBefore = (one, other) => Date.parse(one.until) + slackMs < Date.parse(other.since)
  return gaps.some((one) =>
    gaps.some((other) => one.id !== other.id && !isBefore(one, other) && !isBefore(other, one)),
  )
}

function isIn(ranges, position) {
  return ranges.some(({ first, last }) => position >= first && position <= last)
}
