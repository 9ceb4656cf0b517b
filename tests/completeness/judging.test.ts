import { generateKey, verifyBatch } from 'alvarium-sdk'
import {
  Completeness,
  type SignerReport,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { toHex } from 'alvarium-sdk/verify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loggedSdk } from '../support/checkpoints.js'
import { countedTurns } from '../support/turns.js'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const { signingKey, verifyingKey } = generateKey()
const keyring = [verifyingKey]

/** Signs a run: a message and a checkpoint for each of its hours. */
async function life(
  hours: number,
  { first = 0, isKilled = false, after = undefined as Uint8Array | undefined } = {},
) {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON + first * 3_600_000 })
  const { sdk, messages, notes } = await loggedSdk({ signingKey }, { every: 1, ...(after && { after }) })
  for (let hour = 0; hour < hours; hour++) {
    vi.setSystemTime(NOON + (first + hour) * 3_600_000)
    await sdk.create(Uint8Array.of(hour))
  }
  await sdk.close()
  vi.useRealTimers()
  const checkpoints = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring })))
  return {
    messages,
    notes,
    checkpoints: isKilled ? checkpoints.filter(({ isLast }) => !isLast) : checkpoints,
  }
}

async function reportOn(messages: readonly Uint8Array[], checkpoints: readonly VerifiedCheckpoint[]) {
  const completeness = new Completeness()
  for (const checkpoint of checkpoints) completeness.addCheckpoint(checkpoint)
  for (const message of messages) completeness.addMessage(message, await verifyBatch(message, { keyring }))
  return completeness.report()[0] as SignerReport
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a missing message', () => {
  // claim: completeness-11
  it('is reported with its position, and with the times of the messages around it', async () => {
    const { messages, checkpoints } = await life(6)
    const { missing, verdict, messages: there } = await reportOn(messages.toSpliced(2, 2), checkpoints)
    expect([verdict, there]).toEqual(['incomplete', 4])
    expect(missing).toEqual([
      {
        keyId: checkpoints[0]?.signer,
        run: checkpoints[0]?.run,
        first: 2,
        last: 3,
        bundles: 2,
        since: '2026-11-20T13:00:00.000000Z',
        until: '2026-11-20T15:00:00.000000Z',
      },
    ])
  })

  // claim: completeness-15
  it('is counted if only the checkpoints of the next run show that its run had more messages', async () => {
    const one = await life(4)
    const two = await life(2, { first: 10, after: one.notes.at(-1) as Uint8Array })
    const left = one.checkpoints.filter(({ size }) => size < 3)
    const { gaps, missingInGaps, runs } = await reportOn(
      [...one.messages.slice(0, 3), ...two.messages],
      [...left, ...two.checkpoints],
    )
    expect(gaps).toMatchObject([{ run: one.checkpoints[0]?.run, first: 2, last: 3 }])
    expect([missingInGaps, runs.length]).toEqual([1, 2])
  })

  // claim: completeness-30
  it('counts as unknown if no checkpoint of its run is given, unless the run precedes all given checkpoints', async () => {
    const one = await life(2)
    const two = await life(3, { first: 4, after: one.notes.at(-1) as Uint8Array })
    const three = await life(2, { first: 9, after: two.notes.at(-1) as Uint8Array })
    const [{ run, signer }] = two.checkpoints as [VerifiedCheckpoint]
    const gap = {
      keyId: signer,
      run,
      first: 0,
      last: 2,
      since: '2026-11-20T12:00:00.000000Z',
      until: '2026-11-20T21:00:00.000000Z',
    }
    const outer = [...one.checkpoints, ...three.checkpoints]
    const unknown = { verdict: 'unknown', gaps: [gap], missing: [], missingInGaps: 0, unlisted: [] }
    const hidden = await reportOn([...one.messages, ...three.messages], outer)
    expect(hidden).toMatchObject({
      ...unknown,
      unknown: 0,
      says: expect.stringMatching(/no given checkpoint lists 3 of its messages/),
    })
    const inNoList = await reportOn([...one.messages, ...two.messages, ...three.messages], outer)
    expect(inNoList).toMatchObject({ ...unknown, unknown: 3 })
    const early = await life(2, { first: -9, after: two.notes.at(-1) as Uint8Array })
    const runs = [...one.checkpoints, ...early.checkpoints]
    const backwards = await reportOn([...one.messages, ...early.messages], runs)
    expect(backwards, 'a clock that was set back').toMatchObject({ verdict: 'unknown', gaps: [{ run }] })
    const later = await reportOn(
      [...two.messages, ...three.messages],
      [...two.checkpoints, ...three.checkpoints],
    )
    expect(later).toMatchObject({ verdict: 'complete', gaps: [] })
  })

  it('is not reported before the first known checkpoint, or without any checkpoint', async () => {
    const { messages, checkpoints } = await life(4)
    const late = await reportOn(messages.slice(3), checkpoints.slice(4))
    expect(late).toMatchObject({ verdict: 'unknown', missing: [], gaps: [], missingInGaps: 0, unlisted: [] })
    expect(late.runs[0]).toMatchObject({ before: 3, size: 4 })
    expect(await reportOn(messages, [])).toMatchObject({
      verdict: 'unknown',
      unknown: 4,
      unlisted: [],
      runs: [],
    })
  })

  it('is not reported if the stream refused the message, or if the message is still pending', async () => {
    const { messages, checkpoints } = await life(3)
    const [, second] = checkpoints
    const told = (more: Partial<VerifiedCheckpoint>) =>
      reportOn(messages.slice(1), [
        ...checkpoints.filter((one) => one !== second && one.number !== 2),
        { ...(second as VerifiedCheckpoint), ...more },
      ])
    const all = [{ first: 0, last: 2 ** 53 - 2 }]
    expect(await told({ refused: all, pending: [] })).toMatchObject({ refused: 1, pending: 0, missing: [] })
    expect(await told({ pending: all })).toMatchObject({ refused: 0, pending: 1, missing: [] })
    expect(await told({ pending: [] })).toMatchObject({ missing: [{ first: 0, last: 0 }] })
  })
})

describe('a message that no checkpoint lists', () => {
  // claim: completeness-13
  it('counts as backdated if all checkpoints of its time are known', async () => {
    const { messages, checkpoints } = await life(6)
    const stolen = await life(1, { first: 3 })
    const { unlisted, verdict } = await reportOn([...messages, ...stolen.messages], checkpoints)
    const [bundle] = await verifyBatch(stolen.messages[0] as Uint8Array, { keyring })
    expect([unlisted, verdict]).toEqual([[{ id: bundle?.id, timestamp: bundle?.timestamp }], 'incomplete'])
  })

  it('counts as unknown before the first checkpoint, after the last, next to a missing checkpoint, and after a killed run', async () => {
    const whole = await life(6)
    for (const hour of [-3, 9]) {
      const other = await life(1, { first: hour })
      const got = await reportOn([...whole.messages, ...other.messages], whole.checkpoints)
      expect(got).toMatchObject({ verdict: 'unknown', unknown: 1, unlisted: [] })
    }
    const gap = whole.checkpoints.filter(({ number }) => number !== 3)
    expect(await reportOn(whole.messages, gap)).toMatchObject({
      verdict: 'unknown',
      unknown: 1,
      missingInGaps: 0,
    })
    const killed = await life(3, { isKilled: true })
    const tail = await life(1, { first: 4 })
    const later = await life(2, { first: 8 })
    const got = await reportOn(
      [...killed.messages, ...tail.messages, ...later.messages],
      [...killed.checkpoints, ...later.checkpoints],
    )
    expect(got).toMatchObject({ verdict: 'unknown', unknown: 1, unlisted: [] })
    expect(got.runs.map(({ hasEnded }) => hasEnded)).toEqual([false, true])
  })

  it('counts as unknown during a gap in the checkpoints of one run, even after a shorter gap of a parallel run', async () => {
    const one = await life(9)
    const beside = await life(3, { first: 3 })
    const left = [
      ...one.checkpoints.filter(({ number }) => number < 3 || number > 8),
      ...beside.checkpoints.filter(({ number }) => number !== 2),
    ]
    const got = await reportOn([...one.messages, ...beside.messages], left)
    expect(got.gaps.map(({ first, last }) => [first, last])).toEqual([
      [2, 7],
      [1, 1],
    ])
    expect(got).toMatchObject({ verdict: 'unknown', unknown: 7, unlisted: [] })
  })

  it('does not count as backdated if it was signed no more than toleranceMs before the last known checkpoint', async () => {
    const { checkpoints } = await life(6, { isKilled: true })
    const stolen = await life(1, { first: 4.5 })
    const [message] = stolen.messages as [Uint8Array]
    const bundles = await verifyBatch(message, { keyring })
    const verdicts = [1_799_999, 1_800_000].map((toleranceMs) => {
      const completeness = new Completeness({ toleranceMs })
      for (const checkpoint of checkpoints) completeness.addCheckpoint(checkpoint)
      completeness.addMessage(message, bundles)
      return completeness.report()[0]?.unlisted.length
    })
    expect(verdicts).toEqual([1, 0])
    expect(() => new Completeness({ toleranceMs: -1 })).toThrow(/completeness.toleranceMs/)
  })
})

const COUNTS = ['missing', 'missingInGaps', 'forks', 'unlisted', 'pending', 'refused', 'unknown'] as const
type Evidence = Pick<Awaited<ReturnType<typeof life>>, 'messages' | 'checkpoints'>
const without = (checkpoints: readonly VerifiedCheckpoint[], ...numbers: number[]) =>
  checkpoints.filter(({ number }) => !numbers.includes(number))
const saying = (
  checkpoints: readonly VerifiedCheckpoint[],
  number: number,
  more: Partial<VerifiedCheckpoint>,
) => checkpoints.map((one) => (one.number === number ? { ...one, ...more } : one))
const FIRST = [{ first: 0, last: 0 }]

describe('a completeness report', () => {
  it.each<
    [string, (given: Evidence) => Evidence, string, Partial<Record<(typeof COUNTS)[number], number>>, RegExp]
  >([
    ['a complete log', (given) => given, 'complete', {}, /^all 3 messages .* are here$/],
    [
      'a listed message that is missing',
      ({ messages, checkpoints }) => ({ messages: messages.slice(1), checkpoints }),
      'incomplete',
      { missing: 1 },
      /show: 1 listed and not here$/,
    ],
    [
      'a missing message whose checkpoint is missing too',
      ({ messages, checkpoints }) => ({
        messages: messages.toSpliced(1, 1),
        checkpoints: without(checkpoints, 2),
      }),
      'incomplete',
      { missingInGaps: 1 },
      /show: at least 1 not here where checkpoints are missing too$/,
    ],
    [
      'a fork',
      ({ messages, checkpoints }) => ({
        messages,
        checkpoints: [...checkpoints, { ...(checkpoints[1] as VerifiedCheckpoint), root: 'a'.repeat(64) }],
      }),
      'incomplete',
      { forks: 1 },
      /show: logs told in two ways, 1$/,
    ],
    [
      'a missing message that was pending before a missing checkpoint',
      ({ messages, checkpoints }) => ({
        messages: messages.slice(1),
        checkpoints: saying(without(checkpoints, 2), 1, { pending: FIRST }),
      }),
      'unknown',
      { pending: 1, unknown: 1 },
      /1 were still in transit at its last checkpoint/,
    ],
    [
      'a missing message that was pending to the end',
      ({ messages, checkpoints }) => ({
        messages: messages.slice(1),
        checkpoints: checkpoints.map((one) => (one.number > 0 ? { ...one, pending: FIRST } : one)),
      }),
      'unknown',
      { pending: 1 },
      /1 were still in transit at its last checkpoint$/,
    ],
    [
      'a missing message that the signer lists as refused',
      ({ messages, checkpoints }) => ({
        messages: messages.slice(1),
        checkpoints: saying(checkpoints, 2, { refused: FIRST }),
      }),
      'complete',
      { refused: 1 },
      /but for 1 that its stream refused, as it says itself$/,
    ],
    [
      'a missing checkpoint whose message is there',
      ({ messages, checkpoints }) => ({ messages, checkpoints: without(checkpoints, 2) }),
      'unknown',
      { unknown: 1 },
      /no given checkpoint lists 1 of its messages, and 1 that were given are in no checkpoint$/,
    ],
    [
      'a missing first checkpoint whose message is there',
      ({ messages, checkpoints }) => ({ messages, checkpoints: without(checkpoints, 0, 1) }),
      'unknown',
      { unknown: 1 },
      /1 came before its first given checkpoint, and 1 that were given are in no checkpoint$/,
    ],
  ])('has the right verdict on %s', async (_, change, verdict, counts, says) => {
    const { messages, checkpoints } = change(await life(3))
    const report = await reportOn(messages, checkpoints)
    const counted = COUNTS.map((name) => {
      const found = report[name]
      return [name, typeof found === 'number' ? found : found.length]
    })
    expect(Object.fromEntries(counted.filter(([, count]) => count !== 0))).toEqual(counts)
    expect([report.verdict, report.says]).toEqual([verdict, expect.stringMatching(says)])
    expect(report.needs === undefined).toBe(verdict !== 'unknown')
  })
})

describe('a log is reported as forked', () => {
  it.each<[string, (one: VerifiedCheckpoint) => Partial<VerifiedCheckpoint>, number[]]>([
    ['two roots for one size', () => ({ number: 9, root: 'a'.repeat(64) }), [2]],
    ['two lists with one number', () => ({ entries: [{ id: 'a'.repeat(16), bundles: 1 }] }), [2]],
    ['two previous runs', () => ({ after: { run: 'b'.repeat(32), size: 1, root: 'a'.repeat(64) } }), [2]],
    [
      'two roots at the beginning of one checkpoint',
      ({ from }) => ({ number: 9, from: { ...from, root: 'a'.repeat(64) } }),
      [1],
    ],
    ['a checkpoint number that decreases', () => ({ number: 0, size: 2 }), [0]],
  ])('with %s', async (_, change, sizes) => {
    const { messages, checkpoints } = await life(3)
    const [, , third] = checkpoints as [VerifiedCheckpoint, VerifiedCheckpoint, VerifiedCheckpoint]
    const { forks, verdict } = await reportOn(messages, [...checkpoints, { ...third, ...change(third) }])
    expect([forks.map(({ size }) => size), verdict]).toEqual([expect.arrayContaining(sizes), 'incomplete'])
  })

  it('with a checkpoint that begins after the end of its direct predecessor', async () => {
    const { messages, checkpoints } = await life(3)
    const last = checkpoints.at(-1) as VerifiedCheckpoint
    const further = { size: last.size + 2, root: 'c'.repeat(64) }
    const next = { ...last, ...further, from: { ...further, at: last.at }, entries: [] }
    const withNumber = (number: number) => reportOn(messages, [...checkpoints, { ...next, number }])
    const forked = await withNumber(last.number + 1)
    expect([forked.forks.map(({ size }) => size), forked.gaps]).toEqual([[5], []])
    expect(await withNumber(last.number + 2)).toMatchObject({ forks: [], gaps: [{ first: 3, last: 4 }] })
  })

  it('with a later run that names a wrong root of the log, but not with a correct older root', async () => {
    const one = await life(3)
    const two = await life(1, { first: 9, after: one.notes[2] as Uint8Array })
    const all = [...one.messages, ...two.messages]
    expect(await reportOn(all, [...one.checkpoints, ...two.checkpoints])).toMatchObject({
      verdict: 'complete',
    })
    const lies = two.checkpoints.map((checkpoint) => ({
      ...checkpoint,
      after: { run: one.checkpoints[0]?.run ?? '', size: 2, root: 'b'.repeat(64) },
    }))
    expect((await reportOn(all, [...one.checkpoints, ...lies])).forks).toMatchObject([{ size: 2 }])
  })

  it('with two later runs that name different last roots of the log', async () => {
    const one = await life(3)
    const two = await life(1, { first: 9, after: one.notes.at(-1) as Uint8Array })
    const left = one.checkpoints.filter(({ size }) => size < 3)
    const after = { run: one.checkpoints[0]?.run ?? '', size: 3, root: 'b'.repeat(64) }
    const third = two.checkpoints.map((checkpoint) => ({ ...checkpoint, run: '9'.repeat(32), after }))
    const all = [...one.messages, ...two.messages]
    expect((await reportOn(all, [...left, ...two.checkpoints])).forks).toEqual([])
    const { forks } = await reportOn(all, [...left, ...two.checkpoints, ...third])
    expect(forks).toEqual([{ keyId: two.checkpoints[0]?.signer, run: after.run, size: 3 }])
  })
})

it('a completeness report on many checkpoints with gaps lets the event loop run while it is made', async () => {
  const { checkpoints } = await life(1)
  const [first] = checkpoints as [VerifiedCheckpoint]
  const completeness = new Completeness()
  for (let at = 0; at < 2_000; at++) {
    const from = { ...first.from, size: 2 * at }
    completeness.addCheckpoint({ ...first, number: 2 * at, from, size: 2 * at + 1, isLast: false })
  }
  const turns = await countedTurns(1)
  try {
    const [report] = await completeness.reportInTurns()
    expect([report?.gaps.length, report?.missingInGaps]).toEqual([1_999, 1_999])
    // A turn ends after 8 readings of the clock: one for each checkpoint's refusals, one for its fork, three for its
    // gap.
    expect(turns.count).toBeGreaterThan(1_000)
  } finally {
    turns.end()
  }
  expect(completeness.report()).toEqual(await completeness.reportInTurns())
})

it('a completeness report names signers as the trust policy does, with a verdict for each signer', async () => {
  const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [toHex(verifyingKey)] }] })
  const { messages, notes } = await life(2)
  const completeness = new Completeness()
  for (const note of notes) completeness.addCheckpoint(await verifyCheckpoint(note, { keyring: trust }))
  const other = await loggedSdk()
  await other.sdk.create(Uint8Array.of(1))
  for (const message of [...messages, ...other.messages]) {
    const trusted = other.messages.includes(message) ? other.keyring : trust
    completeness.addMessage(message, await verifyBatch(message, { keyring: trusted }))
  }
  await other.sdk.close()
  expect(completeness.report().map(({ name, verdict }) => [name, verdict])).toEqual([
    ['gateway-1', 'complete'],
    [undefined, 'unknown'],
  ])
  await trust.close()
})
