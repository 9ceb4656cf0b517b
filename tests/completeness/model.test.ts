import { extractBundle, generateKey, type VerifiedBundle, verifyBatch } from 'alvarium-sdk'
import {
  Completeness,
  type SignerReport,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { loggedSdk } from '../support/checkpoints.js'
import { platform } from '../support/platform.js'

interface Logged {
  readonly position: number
  readonly message: Uint8Array
  readonly bundles: readonly VerifiedBundle[]
}

/** A run: its messages, and its checkpoints. */
interface Life {
  readonly logged: readonly Logged[]
  readonly checkpoints: readonly VerifiedCheckpoint[]
}

const RUNS = 3
const ROUNDS = platform.name === 'node' ? 150 : 30

/** Signs runs with one key: single calls and batches. */
async function lives(random: Random): Promise<Life[]> {
  const { signingKey } = generateKey()
  return Promise.all(
    Array.from({ length: RUNS }, async () => {
      const { sdk, messages, notes } = await loggedSdk({ signingKey }, { every: 4 })
      for (let at = 0; at < 30; at++) {
        if (random.below(3) > 0) await sdk.create(Uint8Array.of(at))
        else
          await sdk.createMany(
            Array.from({ length: 2 + random.below(3) }, (_, one) => Uint8Array.of(at, one)),
          )
      }
      await sdk.close()
      return verified(signingKey, messages, notes)
    }),
  )
}

async function verified(signingKey: Uint8Array, messages: Uint8Array[], notes: Uint8Array[]): Promise<Life> {
  const keyring = [signingKey.subarray(32)]
  const logged = await Promise.all(
    messages.map(async (message, position) => ({
      position,
      message,
      bundles: await verifyBatch(message, { keyring }),
    })),
  )
  return { logged, checkpoints: await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring }))) }
}

/** Reports on the messages in random order, with duplicates. */
function report(random: Random, lives: readonly Life[]): SignerReport {
  const completeness = new Completeness()
  const told = lives.flatMap(({ logged, checkpoints }) => [
    ...logged.map(
      ({ message, bundles }) =>
        () =>
          completeness.addMessage(message, bundles),
    ),
    ...checkpoints.map((checkpoint) => () => completeness.addCheckpoint(checkpoint)),
  ])
  for (const tell of random.shuffled([...told, ...told.filter(() => random.below(4) === 0)])) tell()
  return completeness.report()[0] as SignerReport
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const positionsOf = ({ first, last }: { first: number; last: number }) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

// claim: completeness-2
it('a completeness report on complete logs of several runs finds nothing, in any order and with repeated messages', async () => {
  const random = new Random(27)
  const all = await lives(random)
  for (let round = 0; round < ROUNDS; round++) {
    const { verdict, missing, gaps, missingInGaps, forks, unlisted, pending, refused, unknown } = report(
      random,
      all,
    )
    expect({ verdict, missing, gaps, missingInGaps, forks, unlisted, pending, refused, unknown }).toEqual({
      verdict: 'complete',
      missing: [],
      gaps: [],
      missingInGaps: 0,
      forks: [],
      unlisted: [],
      pending: 0,
      refused: 0,
      unknown: 0,
    })
  }
})

// claim: completeness-12
it('a completeness report names missing messages that a received checkpoint lists, and only counts other missing ones', async () => {
  const random = new Random(28)
  const all = await lives(random)
  for (let round = 0; round < ROUNDS; round++) {
    const [dropsOfMessages, dropsOfCheckpoints] = [2 + random.below(20), 2 + random.below(20)]
    const left = all.map(({ logged, checkpoints }) => ({
      logged: logged.filter(() => random.below(dropsOfMessages) > 0),
      // The first and the last checkpoint stay, because messages outside of them cannot be counted.
      checkpoints: checkpoints.filter(
        ({ number, isLast }) => number === 0 || isLast || random.below(dropsOfCheckpoints) > 0,
      ),
    }))
    const got = report(random, left)
    const expected = left.map(({ logged, checkpoints }) => {
      const listed = new Set(
        checkpoints.flatMap(({ from, size }) => positionsOf({ first: from.size, last: size - 1 })),
      )
      const there = new Set(logged.map(({ position }) => position))
      const numbers = new Set(checkpoints.map(({ number }) => number))
      // Only the next checkpoint settles the pending messages.
      const untold = checkpoints.filter(({ number, isLast }) => !isLast && !numbers.has(number + 1))
      const open = new Set(untold.flatMap(({ pending }) => pending.flatMap(positionsOf)))
      const absent = [...listed].filter((position) => !there.has(position))
      return {
        missing: absent.filter((position) => !open.has(position)),
        pending: absent.filter((position) => open.has(position)).length,
        inGaps: (checkpoints.at(-1)?.size ?? 0) - listed.size,
        unlisted: [...there].filter((position) => !listed.has(position)).length,
      }
    })
    const named = left.map(({ checkpoints }) =>
      got.missing.filter(({ run }) => run === checkpoints[0]?.run).flatMap(positionsOf),
    )
    expect(named).toEqual(expected.map(({ missing }) => missing))
    expect(sum(got.gaps.map((gap) => positionsOf(gap).length))).toBe(
      sum(expected.map(({ inGaps }) => inGaps)),
    )
    expect(got.missingInGaps).toBe(sum(expected.map(({ inGaps, unlisted }) => inGaps - unlisted)))
    expect([got.forks, got.unlisted]).toEqual([[], []])
    const isIncomplete = got.missing.length + got.missingInGaps > 0
    expect(got.pending).toBe(sum(expected.map(({ pending }) => pending)))
    const isUnknown = got.gaps.length + got.pending > 0
    expect(got.verdict).toBe(isIncomplete ? 'incomplete' : isUnknown ? 'unknown' : 'complete')
  }
})

// claim: completeness-14
it('a completeness report counts the missing bundles of a batch of which a part has arrived', async () => {
  const random = new Random(29)
  const [life] = (await lives(random)) as [Life]
  for (let round = 0; round < ROUNDS; round++) {
    const kept = life.logged.map(({ bundles }) => bundles.map(() => random.below(4) > 0))
    const completeness = new Completeness()
    for (const checkpoint of life.checkpoints) completeness.addCheckpoint(checkpoint)
    for (const [at, { message, bundles }] of life.logged.entries()) {
      for (const [index, bundle] of bundles.entries()) {
        const one = bundles.length > 1 ? extractBundle(message, index) : message
        if (kept[at]?.[index]) completeness.addMessage(one, [bundle])
      }
    }
    const [got] = completeness.report()
    expect(sum((got?.missing ?? []).map(({ bundles }) => bundles))).toBe(
      kept.flat().filter((is) => !is).length,
    )
  }
})
