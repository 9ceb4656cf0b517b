// @own-process: it stops the clock
// @node-only: it stops the clock, needs Mosquitto's queue, or looks inside the package

import { generateKey, Keyring, memory, openSdk, source, verifyBatch } from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { forkedFrom } from '../attack/forked.mjs'
import { Random } from '../attack/random.mjs'
import { loggedSdk } from '../support/checkpoints.js'
import { keyring, life, NOON, watching as newWatching, second, signer } from '../support/watched.js'

beforeEach(() => {
  // Fake both clocks: if one stands still and the other advances, the first was set back.
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOON + 60_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

function watching(...given: Parameters<typeof newWatching>) {
  const watched = newWatching(...given)
  onTestFinished(() => watched.close())
  return watched
}

/** Signs messages with the stolen private key, without a log. */
async function stolen(count: number): Promise<Uint8Array[]> {
  const stream = memory()
  const sdk = await openSdk({ signingKey: signer.signingKey, annotators: [source()], stream })
  for (let at = 0; at < count; at++) await sdk.create(Uint8Array.of(at))
  await sdk.close()
  return [...stream.messages]
}

/** Starts a run whose stream answers for each of its two messages only on request. */
async function pendingLife(signingKey = signer.signingKey) {
  const answers: ((error?: Error) => void)[] = []
  const stream = {
    publish: () =>
      new Promise<void>((resolve, reject) => answers.push((error) => (error ? reject(error) : resolve()))),
  }
  const { sdk, notes } = await loggedSdk({ signingKey, stream }, { every: 1 })
  const calls = [1, 2].map((one) => sdk.create(Uint8Array.of(one)))
  await expect.poll(() => answers.length).toBe(2)
  return { sdk, notes, answers, calls }
}

const nothing = { missing: 0, forked: 0, backdated: 0, silent: 0, refused: 0, pending: 0, unknown: 0 }

describe('an alarm of a subscription that watches completeness', () => {
  // claim: completeness-21
  it('is not raised by restarts, parallel runs, batches, repeated messages or a different order', async () => {
    const random = new Random(31)
    const lives = await Promise.all([life(10), life(13, { many: 3 }), life(6, { every: 1 })])
    for (let round = 0; round < 6; round++) {
      const watched = watching()
      const sent = lives.flatMap(({ messages, notes }) => [
        ...messages.map((message) => () => watched.messages([message])),
        ...notes.map((note) => () => watched.notes([note])),
      ])
      for (const one of random.shuffled([...sent, ...sent])) await one()
      await watched.later()
      expect(watched.findings).toEqual([])
      expect(watched.stats()).toEqual(nothing)
    }
  })

  // claim: completeness-22
  it('is not raised about messages that a run sent before the first message that the subscription received', async () => {
    const { messages, notes } = await life(16)
    const watched = watching({}, false, {}, Date.now())
    // The watch begins in the middle.
    await watched.messages(messages.slice(9))
    await watched.notes(notes.slice(2))
    await watched.later()
    expect([watched.findings, watched.stats().unknown]).toEqual([[], 5])
  })

  // claim: completeness-23
  it('is not raised about the last messages of a run that was killed', async () => {
    const { messages, notes } = await life(10)
    const next = await life(4)
    const watched = watching()
    await watched.messages([...messages, ...next.messages])
    await watched.notes([...notes.slice(0, -1), ...next.notes])
    await watched.later()
    expect([watched.findings, watched.stats().unknown]).toEqual([[], 2])
  })

  it("is not raised about a run's last checkpoints if they arrive after the next run's checkpoints", async () => {
    const one = await life(12)
    const two = await life(4, { after: one.notes.at(-1) })
    // One time within the wait of a checkpoint, and one after it.
    for (const ms of [60, 1_000]) {
      const watched = watching()
      await watched.messages([...one.messages, ...two.messages])
      await watched.notes([...one.notes.slice(0, -2), ...two.notes])
      await watched.later(ms)
      await watched.notes(one.notes.slice(-2))
      await watched.later(60)
      await watched.later()
      await watched.later(100_000)
      expect([watched.findings, watched.stats()]).toEqual([[], nothing])
    }
  })

  it('is not raised about a message that arrives a little after the checkpoint that lists it', async () => {
    const { messages, notes } = await life(4)
    const watched = watching()
    await watched.notes(notes)
    await watched.later(50)
    await watched.messages(messages)
    await watched.later()
    expect([watched.findings, watched.stats()]).toEqual([[], nothing])
  })

  it('is not raised when the clock is set an hour ahead, or when the machine slept', async () => {
    const { messages, notes } = await life(8)
    const watched = watching()
    const isLate = (_: unknown, at: number) => at === 3 || at > 5
    await watched.messages(messages.filter((one, at) => !isLate(one, at)))
    await watched.notes(notes.slice(0, 2))
    vi.setSystemTime(Date.now() + 3_600_000)
    await watched.later(3_600_000)
    expect([watched.findings, watched.stats().silent]).toEqual([[], 0])
    await watched.messages(messages.filter(isLate))
    await watched.notes(notes)
    await watched.later()
    expect([watched.findings, watched.stats()]).toEqual([[], nothing])
  })

  it.each([
    ['the option isPart declares that only some messages arrive', { isPart: true }, false],
    ['other members of a group receive some of the messages', {}, true],
  ])('is not raised if %s', async (_, options, isGroup) => {
    const { messages, notes } = await life(16)
    const watched = watching(options, isGroup)
    await watched.messages(messages.filter((_, at) => at % 2 === 0))
    await watched.notes(notes)
    await watched.messages(await stolen(isGroup ? 1 : 0))
    await watched.later()
    expect([watched.findings, watched.stats().missing]).toEqual([[], 0])
    expect(watched.stats().unknown).toBe(isGroup ? 9 : 8)
  })

  // claim: completeness-20
  it('is not raised while the loop is slow, because a missing message may still be in its queue', async () => {
    const { messages, notes } = await life(8)
    const watched = watching()
    await watched.messages(messages.slice(0, 7))
    await watched.notes(notes)
    await watched.isSlow(1_000_000)
    expect([watched.findings, watched.stats().missing]).toEqual([[], 0])
    await watched.later()
    expect(watched.stats().missing).toBe(1)
  })

  it('is not raised by the timer while the loop is busy or the connection is lost', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'], now: NOON + 60_000 })
    const { messages, notes } = await life(8)
    const watched = watching()
    await watched.messages(messages.slice(0, 7))
    await watched.notes(notes)
    for (const [isWaiting, isAway] of [
      [false, false],
      [true, true],
      [false, true],
    ] as const) {
      watched.isIdle(isWaiting, isAway)
      // Waits for a check that the timer has begun.
      await watched.isSlow(0)
      expect([watched.findings, watched.stats().missing]).toEqual([[], 0])
    }
    watched.isIdle(true, false)
    await expect.poll(() => watched.stats().missing).toBe(1)
  })

  // claim: completeness-24
  it('is not raised about a repeated message whose checkpoint was forgotten', async () => {
    const { messages, notes } = await life(40)
    const watched = watching({ maxMessages: 8 })
    for (const [at, message] of messages.entries()) {
      await watched.message(message)
      if (at % 4 === 3) {
        await watched.notes(notes.slice((at + 1) / 4, (at + 1) / 4 + 1))
        await watched.later()
      }
    }
    await watched.notes(notes.slice(-1))
    await watched.messages(messages.slice(0, 4))
    await watched.later()
    expect([watched.findings, watched.stats().unknown]).toEqual([[], 4])
  })
})

describe('a missing message in a subscription that watches completeness', () => {
  // claim: completeness-17
  it('is reported with its position if a checkpoint lists the message, and otherwise only counted', async () => {
    const { messages, notes } = await life(12)
    const watched = watching()
    await watched.messages(messages.filter((_, at) => ![1, 2, 6].includes(at)))
    await watched.notes(notes.toSpliced(2, 1))
    await watched.later()
    expect(watched.stats()).toEqual({ ...nothing, missing: 3 })
    const sizes = watched.findings.map((one) => one.kind === 'missing' && [one.first, one.last, one.messages])
    expect(sizes.sort()).toEqual([
      [1, 2, 2],
      [4, 7, 1],
    ])
  })

  it('is counted even if only the checkpoints of the next run show that its run had more messages', async () => {
    const one = await life(12)
    const two = await life(4, { after: one.notes.at(-1) })
    const known = one.notes.slice(0, 3)
    for (const notes of [
      [...known, ...two.notes],
      [...two.notes, ...known],
    ]) {
      const watched = watching()
      await watched.messages([...one.messages.toSpliced(9, 1), ...two.messages])
      await watched.notes(notes)
      await watched.later()
      await watched.later(100_000)
      expect(watched.findings).toMatchObject([{ kind: 'missing', first: 8, last: 11, messages: 1 }])
    }
  })

  it('is no longer reported as missing after it has arrived late', async () => {
    const { messages, notes } = await life(12)
    const watched = watching()
    await watched.messages(messages.filter((_, at) => ![1, 6].includes(at)))
    await watched.notes(notes.toSpliced(2, 1))
    await watched.later()
    expect(watched.stats().missing).toBe(2)
    await watched.messages([messages[1], messages[6]] as Uint8Array[])
    await watched.later()
    expect([watched.stats(), watched.findings.length]).toEqual([nothing, 2])
  })

  it('is reported with the number of missing bundles if only a part of a batch has arrived', async () => {
    const { messages, notes } = await life(3, { many: 4 })
    const watched = watching()
    await watched.messages(messages.slice(0, 2))
    const [, , batch] = messages as [Uint8Array, Uint8Array, Uint8Array]
    await watched.message(batch, (await verifyBatch(batch, { keyring })).slice(0, 3))
    await watched.notes(notes)
    await watched.later()
    expect(watched.findings).toMatchObject([{ kind: 'missing', messages: 1, bundles: 1, first: 2, last: 2 }])
  })

  it('is not reported if the signer lists it as refused or pending', async () => {
    const { sdk, notes, answers, calls } = await pendingLife()
    const watched = watching()
    await watched.notes(notes)
    await watched.later()
    expect([watched.kinds(), watched.stats()]).toEqual([[], { ...nothing, pending: 2 }])
    for (const answer of answers) answer(answer === answers[0] ? new Error('no') : undefined)
    await Promise.allSettled(calls)
    await sdk.close()
    await watched.notes(notes)
    await watched.later()
    expect(watched.stats()).toEqual({ ...nothing, refused: 1, missing: 1 })
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 1, last: 1 }])
  })

  it('counts as unknown if it was pending and the next checkpoint of its run is missing', async () => {
    const { sdk, notes, answers, calls } = await pendingLife()
    for (const answer of answers) answer()
    await Promise.all(calls)
    const third = sdk.create(Uint8Array.of(3))
    await expect.poll(() => answers.length).toBe(3)
    answers[2]?.()
    await third
    await sdk.close()
    const watched = watching()
    // The checkpoint that lists the third message is missing.
    await watched.notes(notes.toSpliced(-2, 1))
    await watched.later()
    await watched.later(100_000)
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 2, last: 2 }])
    expect(watched.stats()).toEqual({ ...nothing, missing: 1, unknown: 2 })
  })
})

it('a subscription reports only once that a run has two different checkpoints of the same log size', async () => {
  const { messages, notes } = await life(8)
  const [other] = notes.slice(1, 2).map((message) => forkedFrom({ message }, signer.signingKey))
  const watched = watching()
  await watched.messages(messages)
  await watched.notes([...notes, other, other] as Uint8Array[])
  await watched.later()
  expect(watched.findings).toMatchObject([{ kind: 'forked', size: 4 }])
  expect(watched.stats()).toEqual({ ...nothing, forked: 1 })
})

it('a message that no checkpoint lists counts as backdated if all checkpoints of its time are known', async () => {
  const { sdk, messages, notes } = await loggedSdk({ signingKey: signer.signingKey }, { every: 1 })
  second()
  const others = await stolen(2)
  second()
  await sdk.create(Uint8Array.of(2))
  second()
  await sdk.close()
  const watched = watching()
  await watched.messages([...messages, ...others])
  await watched.notes(notes)
  await watched.later()
  expect(watched.kinds()).toEqual(['backdated', 'backdated'])
  expect(watched.stats()).toEqual({ ...nothing, backdated: 2 })
})

// claim: completeness-31
it('the messages of a run count as unknown while all checkpoints of this run are missing, even if the next run names it', async () => {
  const one = await life(2)
  const two = await life(3, { after: one.notes.at(-1) })
  const three = await life(2, { after: two.notes.at(-1) })
  const watched = watching()
  await watched.messages([...one.messages, ...three.messages])
  await watched.notes([...one.notes, ...three.notes])
  await watched.later()
  expect([watched.findings, watched.stats()]).toEqual([[], { ...nothing, unknown: 3 }])
  await watched.messages(two.messages)
  await watched.notes(two.notes)
  await watched.later()
  expect([watched.findings, watched.stats()]).toEqual([[], nothing])
})

it('a message that no checkpoint lists does not count as backdated if it was signed between a killed run and the next run', async () => {
  const killed = await life(2, { every: 1 })
  const known = killed.notes.slice(0, -1)
  second()
  const between = await stolen(1)
  second()
  const next = await loggedSdk({ signingKey: signer.signingKey }, { every: 1, after: known.at(-1) })
  await next.sdk.create(Uint8Array.of(3))
  second()
  const later = await stolen(1)
  second()
  await next.sdk.create(Uint8Array.of(4))
  second()
  await next.sdk.close()
  const watched = watching()
  await watched.messages([...killed.messages, ...between, ...next.messages, ...later])
  await watched.notes([...known, ...next.notes])
  await watched.later()
  const [bundle] = await verifyBatch(later[0] as Uint8Array, { keyring })
  expect(watched.findings).toMatchObject([{ kind: 'backdated', id: bundle?.id }])
  expect(watched.stats()).toEqual({ ...nothing, backdated: 1, unknown: 1 })
})

// claim: completeness-18
it('a signer is reported as silent while no checkpoint lists its messages', async () => {
  const { messages, notes } = await life(4, { every: 2 })
  const watched = watching({ silentMs: 40_000 })
  await watched.notes(notes.slice(0, 1))
  await watched.messages(messages)
  await watched.later(39_000)
  expect(watched.kinds()).toEqual([])
  await watched.later(1_000)
  await watched.later(1_000)
  expect(watched.findings).toMatchObject([{ kind: 'silent', messages: 4 }])
  expect(watched.findings[0]?.text).toMatch(/: silent for 40 s, a checkpoint of 4 messages was due after 40$/)
  expect(watched.stats().silent).toBe(1)
  await watched.notes(notes.slice(1))
  await watched.later()
  expect(watched.stats().silent).toBe(0)
})

it('a signer is not reported as silent for the time in which the subscription had no connection', async () => {
  const { messages, notes } = await life(4, { every: 2 })
  const watched = watching({ silentMs: 40_000 })
  await watched.notes(notes.slice(0, 1))
  await watched.messages(messages)
  await watched.later(30_000)
  watched.listensAgain(100_000)
  await watched.later(39_000)
  expect([watched.kinds(), watched.stats().silent]).toEqual([[], 0])
  await watched.later(1_000)
  expect(watched.kinds()).toEqual(['silent'])
})

describe('a signer whose clock is ahead', () => {
  const DAYS = 2 * 86_400_000

  /** Returns two runs, two days ahead. */
  async function ahead() {
    const now = Date.now()
    vi.setSystemTime(now + DAYS)
    const lives = [await life(2), await life(2)] as const
    vi.setSystemTime(now)
    return lives
  }

  it('is reported as silent if its clock was corrected and its checkpoints stopped', async () => {
    const [[first], next] = [await ahead(), await life(2)]
    const watched = watching({ silentMs: 40_000 })
    await watched.messages([...first.messages, ...next.messages])
    await watched.notes([...first.notes, ...next.notes])
    await watched.later()
    await watched.later(50_000)
    expect(watched.findings).toEqual([])
    await watched.messages((await life(2)).messages)
    await watched.later(39_000)
    expect(watched.findings).toEqual([])
    await watched.later(1_000)
    expect(watched.findings).toMatchObject([{ kind: 'silent', messages: 2 }])
  })

  it('is not reported as silent while its checkpoints arrive, even after a killed run', async () => {
    const [killed, next] = await ahead()
    const watched = watching({ silentMs: 40_000 })
    await watched.messages(killed.messages)
    await watched.notes(killed.notes.slice(0, -1))
    await watched.messages(next.messages)
    await watched.notes(next.notes)
    await watched.later()
    await watched.later(50_000)
    expect([watched.findings, watched.stats().unknown]).toEqual([[], 2])
  })
})

describe('a subscription at its memory limit, while it watches completeness,', () => {
  const [one, other] = [generateKey(), generateKey()]
  const both = new Keyring([one.verifyingKey, other.verifyingKey])

  it.each<[string, NonNullable<Parameters<typeof watching>[2]>]>([
    ['signers', { signers: 1 }],
    ['messages', { messages: 9 }],
  ])(
    'forgets, at the limit of %s, the signer that was silent for longest, and raises no alarm',
    async (_, bounds) => {
      const [first, next] = [
        await life(6, { signingKey: one.signingKey }),
        await life(6, { signingKey: other.signingKey }),
      ]
      const watched = watching({}, false, bounds)
      await watched.messages(first.messages, both)
      await watched.messages(next.messages, both)
      expect(watched.stats()).toEqual({ ...nothing, unknown: 12 })
      // The lists of the forgotten signer arrive, and one of its messages again.
      await watched.notes(first.notes, both)
      await watched.later()
      await watched.messages(first.messages.slice(2, 3), both)
      await watched.later()
      expect([watched.findings, watched.stats().missing]).toEqual([[], 0])
    },
  )

  it('still counts the findings about a forgotten signer', async () => {
    const [first, next] = [
      await life(8, { signingKey: one.signingKey }),
      await life(4, { signingKey: other.signingKey }),
    ]
    const watched = watching({}, false, { signers: 1 })
    await watched.messages(first.messages.toSpliced(2, 1), both)
    await watched.notes(first.notes, both)
    await watched.later()
    await watched.messages(next.messages, both)
    expect(watched.kinds()).toEqual(['missing'])
    expect(watched.stats()).toEqual({ ...nothing, missing: 1, unknown: 4 })
  })

  it('keeps a signer that is active again, and forgets a silent one', async () => {
    const third = generateKey()
    const all = new Keyring([one.verifyingKey, other.verifyingKey, third.verifyingKey])
    const first = await life(6, { signingKey: one.signingKey })
    const silent = await life(2, { signingKey: other.signingKey })
    const last = await life(1, { signingKey: third.signingKey })
    const watched = watching({}, false, { signers: 2 })
    await watched.messages(first.messages.slice(0, 3), all)
    await watched.messages(silent.messages, all)
    await watched.messages(first.messages.slice(4), all)
    await watched.messages(last.messages, all)
    // The missing message is found, so nothing of the signer was forgotten.
    await watched.notes(first.notes, all)
    await watched.later()
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 3, last: 3 }])
  })

  it('counts each missing message only once, however many later messages of the signer arrive', async () => {
    const first = await life(20, { signingKey: one.signingKey })
    const next = await life(1, { signingKey: other.signingKey })
    const watched = watching({}, false, { messages: 100 })
    await watched.messages(first.messages.toSpliced(3, 1), both)
    await watched.messages(next.messages, both)
    await watched.notes(first.notes, both)
    await watched.later()
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 3, last: 3 }])
  })

  it('counts pending messages of a forgotten signer as unknown', async () => {
    const { sdk, notes, answers, calls } = await pendingLife(one.signingKey)
    const next = await life(1, { signingKey: other.signingKey })
    const watched = watching({}, false, { signers: 1 })
    await watched.notes(notes, both)
    await watched.later()
    expect(watched.stats()).toEqual({ ...nothing, pending: 2 })
    await watched.messages(next.messages, both)
    expect(watched.stats()).toEqual({ ...nothing, unknown: 3 })
    for (const answer of answers) answer()
    await Promise.all(calls)
    await sdk.close()
  })

  it('does not report forgotten messages from before the first checkpoint as missing', async () => {
    const { messages, notes } = await life(40, { every: 40 })
    const watched = watching({ maxMessages: 8 })
    await watched.messages(messages)
    await watched.notes(notes)
    await watched.later()
    expect([watched.findings, watched.stats().missing]).toEqual([[], 0])
  })

  it('counts a missing message as unknown if checkpoints were forgotten before they were processed', async () => {
    const { messages, notes } = await life(12)
    const watched = watching({}, false, { waitingBytes: 3000 })
    await watched.messages(messages.toSpliced(9, 1))
    await watched.notes(notes)
    await watched.later()
    await watched.later(100_000)
    expect([watched.findings, watched.stats()]).toEqual([[], { ...nothing, unknown: 1 }])
  })

  it('forgets processed checkpoints before unprocessed ones', async () => {
    const { messages, notes } = await life(24)
    const watched = watching({}, false, { waitingBytes: 3000 })
    await watched.messages(messages.toSpliced(21, 1))
    for (const note of notes) {
      await watched.notes([note])
      await watched.later()
    }
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 21, last: 21 }])
  })

  it('forgets the checkpoints of a forgotten signer to make space for those of others', async () => {
    const first = await life(8, { signingKey: one.signingKey })
    const next = await life(8, { signingKey: other.signingKey })
    // The limit has room for one of them.
    const watched = watching({}, false, { signers: 1, waitingBytes: 4000 })
    await watched.notes(first.notes, both)
    await watched.messages(next.messages.toSpliced(5, 1), both)
    await watched.notes(next.notes, both)
    await watched.later()
    expect(watched.findings).toMatchObject([{ kind: 'missing', first: 5, last: 5 }])
  })
})

it('a subscription lets the event loop run between many checkpoints that it processes together', async () => {
  const { messages, notes } = await life(8, { every: 1 })
  const watched = watching()
  await watched.messages(messages)
  await watched.notes(notes)
  // Each reading of the clock is late.
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10
    return now
  })
  onTestFinished(() => clock.mockRestore())
  const looking = watched.later()
  let turns = 0
  let isOver = false
  void (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve))
  })()
  await looking
  isOver = true
  expect(turns).toBeGreaterThan(2)
  expect(watched.stats()).toEqual(nothing)
})
