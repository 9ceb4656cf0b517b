// @own-process: it stops the clock
import { generateKey, Keyring, verifyBatch } from 'alvarium-sdk'
import { Completeness, type SignerReport, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Random } from '../attack/random.mjs'
import { type RunByHand, runByHand } from '../support/run-by-hand.js'
import { NOON, watching } from '../support/watched.js'

/*
 * The same messages and checkpoints go to a report and to a subscription that has listened since before the first of
 * them. Streams refuse messages, or have them pending; messages and checkpoints are lost, also the first ones of a
 * run.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOON + 60_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const TOLERANCE_MS = 100
const countOf = (ranges: readonly { readonly first: number; readonly last: number }[]) =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

it('a subscription and a report reach the same verdict about the same messages, whichever messages and checkpoints are lost', async () => {
  const random = new Random(44)
  const seen = { incomplete: 0, unknown: 0, complete: 0, lostBeginnings: 0, openBeginnings: 0 }
  for (let round = 0; round < 120; round++) {
    const party = generateKey()
    const keyring = new Keyring([party.verifyingKey])
    const lives: RunByHand[] = []
    for (let one = 0; one < 3; one++) {
      const begin = NOON + 60_000 + one * 100_000
      lives.push(runByHand(random, party, begin, lives.at(-1)))
    }
    const [oneIn, isBeheaded] = [3 + random.below(30), random.below(3) === 0]
    const kept = lives.map(({ log, notes }) => {
      const cut = isBeheaded ? random.below(notes.length) : 0
      return {
        messages: log.filter(() => random.below(oneIn) > 0).map(({ message }) => message),
        notes: notes.filter((_, number) => number >= cut && random.below(oneIn) > 0),
      }
    })
    const report = new Completeness({ toleranceMs: TOLERANCE_MS })
    vi.setSystemTime(NOON + 3_600_000)
    const watched = watching({ toleranceMs: TOLERANCE_MS })
    for (const { messages, notes } of kept) {
      await watched.messages(messages, keyring)
      await watched.notes(notes, keyring)
      for (const note of notes) report.addCheckpoint(await verifyCheckpoint(note, { keyring }))
      for (const one of messages) report.addMessage(one, await verifyBatch(one, { keyring }))
    }
    await watched.later()
    await watched.later(100_000)
    await watched.later(100_000)
    watched.close()
    const [told] = report.report() as [SignerReport | undefined]
    if (!told) continue
    const { missing, refused, forked, backdated, pending, unknown } = watched.stats()
    const live = { missing, refused, forked, backdated }
    expect(live, `round ${round}`).toEqual({
      missing: countOf(told.missing) + told.missingInGaps,
      refused: told.refused,
      forked: told.forks.length,
      backdated: told.unlisted.length,
    })
    const lost = told.runs.filter(({ before }) => before > 0)
    seen[told.verdict]++
    seen.lostBeginnings += lost.length
    // Compare only without gaps, because a subscription does not show them.
    if (told.gaps.length === 0 && lost.length === 0) {
      expect(pending + unknown > 0, `round ${round}`).toBe(told.pending + told.unknown > 0)
    }
    // A lost beginning is a gap if the run before is known, even if no message is missing, or else unknown.
    const isGap = ({ run }: { readonly run: string }) =>
      told.gaps.some((gap) => gap.run === run && gap.first === 0)
    const open = lost.filter((one) => !isGap(one))
    expect(unknown, `round ${round}`).toBeGreaterThanOrEqual(
      open.reduce((sum, { before }) => sum + before, 0),
    )
    seen.openBeginnings += open.length
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(5)
})
