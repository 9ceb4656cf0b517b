// @own-process: it stops the clock
import { verifyBatch } from 'alvarium-sdk'
import { Completeness, type SignerReport, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { onOneDatabase } from '../store/databases.js'
import { keyring, type Life, life, NOON, watching } from '../support/watched.js'

/*
 * The first messages of a run are lost, and the checkpoints that list them. A subscription that should have received
 * them, a report and a store report the loss.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOON + 60_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns a run without its first messages and checkpoints. */
const part = ({ messages, notes }: Life, from: number, fromNote: number): Life => ({
  messages: messages.slice(from),
  notes: notes.slice(fromNote),
})

async function live(lives: readonly Life[], options: Parameters<typeof watching> = []) {
  const watched = watching(...options)
  for (const { messages, notes } of lives) {
    await watched.messages(messages)
    await watched.notes(notes)
  }
  await watched.later()
  await watched.later(100_000)
  watched.close()
  const { missing, unknown } = watched.stats()
  return { missing, unknown, findings: watched.findings }
}

async function report(lives: readonly Life[]): Promise<SignerReport> {
  const found = new Completeness({ toleranceMs: 100 })
  for (const { messages, notes } of lives) {
    for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
    for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring }))
  }
  return found.report()[0] as SignerReport
}

/** Signs a complete run, and the next one, of which eight messages and the three checkpoints up to them are lost. */
async function scene() {
  const one = await life(6)
  const two = await life(20, { after: one.notes.at(-1) })
  return { one, two, rest: part(two, 8, 3) }
}

describe('the lost beginning of a run', () => {
  it('is "missing" after a known run, both in a finding of a subscription and in a report', async () => {
    const { one, rest } = await scene()
    const { missing, unknown, findings } = await live([one, rest])
    expect([missing, unknown]).toEqual([8, 0])
    expect(findings).toMatchObject([{ kind: 'missing', messages: 8, first: 0, last: 7 }])
    const told = await report([one, rest])
    expect(told).toMatchObject({ verdict: 'incomplete', missingInGaps: 8, missing: [] })
    expect(told.gaps).toMatchObject([{ first: 0, last: 7, run: told.runs[1]?.run }])
    // The gap has the same times in both.
    const [gap] = told.gaps
    expect(findings).toMatchObject([{ since: gap?.since, until: gap?.until }])
  })

  it('counts as "missing" only the messages that are lost', async () => {
    const { one, two } = await scene()
    const some = { messages: two.messages.slice(3), notes: two.notes.slice(3) }
    expect(await live([one, some])).toMatchObject({ missing: 3 })
    expect(await report([one, some])).toMatchObject({ verdict: 'incomplete', missingInGaps: 3 })
  })

  it('is "unknown" if no earlier run and no first checkpoint of this run is known', async () => {
    const { rest } = await scene()
    expect(await live([rest])).toMatchObject({ missing: 0, unknown: 8, findings: [] })
    const told = await report([rest])
    expect(told).toMatchObject({ verdict: 'unknown', outcome: 'cannot tell', gaps: [], missingInGaps: 0 })
    expect(told.runs).toMatchObject([{ before: 8, size: 20 }])
  })

  it('is "unknown" even if its messages were received, because no checkpoint lists them', async () => {
    const { two } = await scene()
    const some = { messages: two.messages, notes: two.notes.slice(3) }
    expect(await live([some])).toMatchObject({ missing: 0, unknown: 8, findings: [] })
    expect(await report([some])).toMatchObject({ verdict: 'unknown', unknown: 8 })
  })

  it('is ignored by a subscription that began later, or receives only a part of the messages', async () => {
    const { rest } = await scene()
    const since = Date.now()
    expect(await live([rest], [{}, false, {}, since])).toMatchObject({ missing: 0, unknown: 0 })
    expect(await live([rest], [{ isPart: true }])).toMatchObject({ missing: 0, unknown: 0 })
    expect(await live([rest], [{}, true])).toMatchObject({ missing: 0, unknown: 0 })
  })

  it('is reported as missing positions, and not as lost, if the checkpoint with number 0 is known', async () => {
    const { one, two } = await scene()
    const some = { messages: two.messages.slice(2), notes: two.notes }
    const { missing, findings } = await live([one, some])
    expect([missing, findings]).toMatchObject([2, [{ first: 0, last: 1, bundles: 2 }]])
    expect(await report([one, some])).toMatchObject({ missing: [{ first: 0, last: 1 }], missingInGaps: 0 })
  })

  it('is "missing" even if the checkpoints of the previous run arrive after those of this run', async () => {
    const { one, rest } = await scene()
    const watched = watching()
    await watched.messages([...one.messages, ...rest.messages])
    await watched.notes(rest.notes)
    await watched.notes(one.notes)
    await watched.later()
    await watched.later(100_000)
    watched.close()
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 0, last: 7, messages: 8 }])
  })
})

describe('the lost beginning of a run, in a store', () => {
  onOneDatabase((database) => {
    it.each<[string, ('one' | 'two' | 'rest')[]]>([
      ['after a known run', ['one', 'rest']],
      ['without another run', ['rest']],
      ['in no run, as nothing is lost', ['one', 'two']],
    ])('is the same as in a report about the same messages: %s', async (_, names) => {
      const signed = await scene()
      const lives = names.map((name) => signed[name])
      const store = await database.open({ keyring })
      await store.ingest(lives.flatMap(({ messages, notes }) => [...notes, ...messages]))
      const { signers } = await store.missing({ toleranceMs: 100 })
      expect(signers).toEqual([{ ...(await report(lives)), prunedOrMissing: 0, isWhole: true }])
    })
  })
})
