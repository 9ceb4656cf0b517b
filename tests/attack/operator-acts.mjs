// Acts of an operator on the evidence of a signer, and the expected findings of a reader for each: by number and time.

import { verifyWitnessed } from 'alvarium-sdk/witness'
import { stolen } from './completeness-makes.mjs'
import { forkedFrom } from './forked.mjs'
import { newestOf } from './operator-reads.mjs'
import { virtualClock } from './virtual-clock.mjs'

const ONE_IN = 9
const EDGE_MS = 2_000
const DAY_MS = 86_400_000

export const all = ({ runs }) => ({
  messages: runs.flatMap(({ messages }) => messages),
  notes: runs.flatMap(({ notes }) => notes),
})

const vkeysOf = (witnesses) => witnesses.map(({ vkey }) => vkey)
const positionsOf = (ranges) =>
  ranges.flatMap(({ run, first, last }) =>
    Array.from({ length: last - first + 1 }, (_, at) => `${run} ${first + at}`),
  )
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

/** Returns whether the times of ranges of positions enclose those of their messages. */
function areInTime(ranges, { runs }) {
  return ranges.every(({ run, first, last, since, until }) => {
    const { messages } = runs.find((one) => one.run === run)
    const [begin, end] = [first, last].map((at) => messages[at].verified[0].timestamp)
    return Date.parse(since) <= Date.parse(begin) && Date.parse(end) <= Date.parse(until) + 1
  })
}

/**
 * Acts by name. Each returns the evidence shown and `isFound`, which checks the reader's report; undefined if the
 * evidence has nothing for the act.
 *
 * @type {Record<string, (random: import('./random.mjs').Random, signer: any, round: any) => any>}
 */
export const ACTS = {
  'drops messages': (random, signer) => {
    const { messages, notes } = all(signer)
    const isGone = new Set(messages.filter(() => random.below(ONE_IN) === 0))
    if (isGone.size === 0) return undefined
    const gone = signer.runs.flatMap(({ run, messages: own }) =>
      own.filter((one) => isGone.has(one)).map(({ position }) => `${run} ${position}`),
    )
    const isFound = ({ verdict, missing }) =>
      verdict === 'incomplete' && same(positionsOf(missing).sort(), gone.sort()) && areInTime(missing, signer)
    return {
      shown: { messages: messages.filter((one) => !isGone.has(one)), notes },
      isFound,
      count: gone.length,
    }
  },

  'hides some messages with their checkpoints': (random, signer) => {
    const run = random.pick(signer.runs)
    const lists = run.notes.filter(({ number, size, from }) => number > 1 && size > from.size)
    const hidden = lists.find(({ number }) =>
      run.notes.some((one) => one.number > number && one.size > one.from.size),
    )
    if (!hidden) return undefined
    const [first, last] = [hidden.from.size, hidden.size - 1]
    const { messages, notes } = all(signer)
    const isGone = (one) => run.messages.includes(one) && one.position >= first && one.position <= last
    const shown = {
      messages: messages.filter((one) => !isGone(one)),
      notes: notes.filter((one) => one.run !== run.run || one.number !== hidden.number),
    }
    const count = last - first + 1
    const isFound = ({ verdict, gaps, missingInGaps }) =>
      verdict === 'incomplete' &&
      missingInGaps === count &&
      gaps.some(
        (gap) => gap.run === run.run && gap.first === first && gap.last === last && areInTime([gap], signer),
      )
    return { shown, isFound, count }
  },

  'cuts the tail': (random, signer, { witnesses }) => {
    const run = signer.runs.at(-1)
    const size = run.notes.at(-1).size
    const kept = random.pick(run.notes.filter((one) => one.size < size))
    if (!kept) return undefined
    const before = { runs: signer.runs.slice(0, -1) }
    const shown = {
      messages: [...all(before).messages, ...run.messages.slice(0, kept.size)],
      notes: [...all(before).notes, ...run.notes.filter(({ number }) => number <= kept.number)],
    }
    // Evidence without its tail is consistent; only the witnesses know of more.
    const isFound = async () => (await newestOf(witnesses, kept.note)) === `ahead ${size}`
    return { shown, isFound, count: size - kept.size }
  },

  'hides a whole run': (_random, signer) => {
    const [first, hidden, next] = signer.runs
    const count = hidden.messages.length
    const isFound = ({ verdict, gaps }) =>
      verdict === 'unknown' &&
      gaps.some((gap) => gap.run === hidden.run && gap.first === 0 && gap.last === count - 1)
    return { shown: all({ runs: [first, next] }), isFound, count }
  },

  'forks a run for another reader': (random, signer, { witnesses, liar }) => {
    const run = random.pick(signer.runs)
    const one = random.pick(run.notes.filter(({ size }) => size > 0))
    const text = JSON.parse(Buffer.from(forkedFrom(one, signer.signingKey)).toString()).content
    const own = text.slice(0, text.lastIndexOf('\n\n') + 1)
    const time = Math.floor(virtualClock.now / 1000)
    const forked = text + liar.line(own, time)
    const isFound = () => {
      const options = { vkey: runKey(text, signer), witnesses: vkeysOf(witnesses), quorum: 2 }
      const alone = verifyWitnessed(forked, options)
      const { faults } = verifyWitnessed([forked, ...run.notes.map(({ note }) => note)], options)
      const isNamed = faults.some((fault) => fault.startsWith(`the log has two roots at size ${one.size}: `))
      return alone.verdict === 'unwitnessed' && isNamed
    }
    return { shown: all(signer), isFound, count: 1 }
  },

  'signs with a stolen key, backdated': async (random, signer) => {
    const { messages, notes } = all(signer)
    const sent = messages.map(({ at }) => at)
    // At the edges of the known time, a message may belong to an unknown log.
    const own = messages.filter(
      ({ at }) => at > Math.min(...sent) + EDGE_MS && at < Math.max(...sent) - EDGE_MS,
    )
    if (own.length === 0) return undefined
    const times = Array.from({ length: 1 + random.below(5) }, () => own[random.below(own.length)].at).sort()
    const others = await stolen(signer, times)
    const ids = others.map(({ verified: [{ id }] }) => id).sort()
    const isFound = ({ verdict, unlisted }) =>
      verdict === 'incomplete' &&
      same(unlisted.map(({ id }) => id).sort(), ids) &&
      unlisted.every(({ timestamp }) => times.includes(Date.parse(timestamp)))
    return { shown: { messages: [...messages, ...others], notes }, isFound, count: ids.length }
  },

  'adds a run late': async (_random, signer, { moreOf, witnesses }) => {
    const deadline = Math.floor(virtualClock.now / 1000)
    const now = virtualClock.now
    virtualClock.now += DAY_MS
    const late = await moreOf(signer)
    virtualClock.now = now
    const isFound = ({ runs, witnessed }) => {
      const isLater = Date.parse(witnessed.since) / 1000 > deadline
      const counted = runs.find(({ run }) => run === late.run)?.size
      return isLater && counted === late.messages.length && !isSeenBy(late, signer, witnesses, deadline)
    }
    return { shown: all({ runs: [...signer.runs, late] }), isFound, count: late.messages.length }
  },
}

/** Writes the public key of a run: `name+id+key`. */
function runKey(note, { verifyingKey }) {
  const [, name, base64] = /— (\S+) (\S+)\n/.exec(note)
  const id = Buffer.from(base64, 'base64').subarray(0, 4).toString('hex')
  return `${name}+${id}+${Buffer.concat([Buffer.of(1), verifyingKey]).toString('base64')}`
}

/** Returns whether two honest witnesses had seen any message of a run by a time. */
function isSeenBy({ notes }, signer, witnesses, deadline) {
  return notes.some(({ note, size }) => {
    const options = { vkey: runKey(note, signer), witnesses: vkeysOf(witnesses.slice(1)), quorum: 2 }
    const { by } = verifyWitnessed(note, options)
    return size > 0 && by !== undefined && Date.parse(by) / 1000 <= deadline
  })
}
