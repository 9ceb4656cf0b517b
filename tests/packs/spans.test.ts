// @internal: packs of as many shapes take minutes
// @node-only: no engine decides it

import type { VerifiedCheckpoint } from 'alvarium-sdk/completeness'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coverageOf, type PackedRun } from '../../dist/evidence/packs/wholeness/spans.js'

/** Applies the rules of FORMAT.md ("A span of time"), one by one. Missing messages and forks are found elsewhere. */
function bySpecification(all: readonly PackedRun[], { from, until }: { from: string; until: string }) {
  const runs = all.filter((run) => beginOf(run) <= until && endOf(run) >= from)
  const names = (one: PackedRun, run: PackedRun) => one.signer === run.signer && afterOf(one)?.run === run.run
  const namesEnd = (one: PackedRun, run: PackedRun) =>
    names(one, run) && afterOf(one)?.size === lastOf(run).size && afterOf(one)?.root === lastOf(run).root
  const overlaps = (begin: string, end: string) => begin <= until && end >= from
  const rules = [
    runs.some((run) => beginOf(run) <= from) && runs.some((run) => endOf(run) >= until),
    runs.every((run) => run.checkpoints[0].from.size === 0 || beginOf(run) <= from),
    runs.every((run) => lastOf(run).isLast || endOf(run) >= until || all.some((one) => namesEnd(one, run))),
    runs.every(
      (run) =>
        !gapsOf(
          run,
          all.filter((one) => names(one, run)),
        ).some((gap) => overlaps(...gap)),
    ),
    runs.every((run) => beginOf(run) <= from || !afterOf(run) || all.some((one) => namesEnd(run, one))),
  ]
  const isListed = rules.every(Boolean)
  const begun = runs.filter((run) => beginOf(run) <= from)
  const others = runs.filter((run) => beginOf(run) > from)
  return { isListed, isChain: isListed && begun.length === 1 && others.every(afterOf) }
}

/** Lists the times of the gaps in a run: between its checkpoints, and at its end if a run after it names a larger size. */
function gapsOf({ checkpoints }: PackedRun, followers: readonly PackedRun[]): [begin: string, end: string][] {
  const between = checkpoints.flatMap((one, at): [string, string][] => {
    const before = checkpoints[at - 1]
    return before && before.size !== one.from.size ? [[before.at, one.from.at]] : []
  })
  const last = checkpoints.at(-1) as VerifiedCheckpoint
  const sizeOf = (run: PackedRun) => afterOf(run)?.size ?? 0
  const [largest] = followers.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  return largest && sizeOf(largest) > last.size ? [...between, [last.at, beginOf(largest)]] : between
}

const beginOf = ({ checkpoints }: PackedRun) => checkpoints[0].from.at
const lastOf = ({ checkpoints }: PackedRun) => checkpoints.at(-1) as VerifiedCheckpoint
const endOf = (run: PackedRun) => lastOf(run).at
const afterOf = ({ checkpoints }: PackedRun) => checkpoints[0].after

const time = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000000Z`
const root = fc.constantFrom('a', 'b')
const after = fc.record({ run: fc.constantFrom('0', '1', '2'), size: fc.integer({ min: 1, max: 4 }), root })

/** A run of one to three checkpoints, mostly without gaps. */
const runs = fc
  .record({
    signer: fc.constantFrom('k', 'k', 'l'),
    after: fc.option(after, { nil: undefined }),
    begin: fc.integer({ min: 0, max: 20 }),
    first: fc.constantFrom(0, 0, 2),
    steps: fc.array(
      fc.record({ minutes: fc.integer({ min: 1, max: 9 }), gap: fc.constantFrom(0, 0, 0, 1), root }),
      { minLength: 1, maxLength: 3 },
    ),
    isLast: fc.boolean(),
  })
  .map(({ signer, after, begin, first, steps, isLast }) => (run: string): PackedRun => {
    let [minute, size]: [number, number] = [begin, first]
    const checkpoints = steps.map(({ minutes, gap, root }, number) => {
      const from = { size: size + gap, root: 'a', at: time(minute + gap) }
      ;[minute, size] = [minute + gap + minutes, size + gap + 1]
      return {
        run,
        signer,
        number,
        from,
        at: time(minute),
        size,
        root,
        isLast: isLast && number === steps.length - 1,
        ...(after && { after }),
      }
    })
    return { signer, run, checkpoints: checkpoints as unknown as PackedRun['checkpoints'] }
  })

// claim: format-68
it('checkpoints in a pack cover a span of time under exactly the conditions of FORMAT.md', () => {
  const holds = { isListed: 0, isChain: 0 }
  fc.assert(
    fc.property(
      fc.array(runs, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 15 }),
      (made, begin, minutes) => {
        const all = made.map((make, at) => make(`${at}`))
        const span = { id: 'k', from: time(begin), until: time(begin + minutes) }
        const { isListed, isChain } = coverageOf(all, span)
        const expected = bySpecification(all, span)
        expect({ isListed, isChain: isListed && isChain }).toEqual(expected)
        holds.isListed += Number(isListed)
        holds.isChain += Number(expected.isChain)
      },
    ),
    { numRuns: 5_000 },
  )
  expect(Math.min(holds.isListed, holds.isChain)).toBeGreaterThan(50)
})
