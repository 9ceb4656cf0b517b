import { generateKey, OUTCOMES, toHex, VERDICT_WORDS, verifyBatch, verifyMessage } from 'alvarium-sdk'
import {
  Completeness,
  type SignerReport,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { bundleBy, checkpointBy, type LoggedMessage, leaseBy, stateOf } from '../support/by-hand.js'

/* FORMAT.md, "Words of verdicts": each word goes when one piece of its evidence is removed. */

const RUN = 'cd'.repeat(16)
const day = (time: string) => `2026-11-20T${time}Z`

describe('the time of a verdict', () => {
  const [issuer, subject] = [generateKey(), generateKey()]
  const log = [1, 2, 3].map((minute) =>
    bundleBy(subject, { payload: `${minute}`, timestamp: day(`10:0${minute}:00.000000`) }),
  )
  const note = (number: number, size: number, first: number, more = {}) =>
    checkpointBy(subject, {
      run: RUN,
      number,
      log: log.slice(0, size),
      first,
      from: day('10:00:00.000000'),
      at: day('10:30:00.000000'),
      ...more,
    })
  const message = (log[0] as LoggedMessage).message

  /** Makes all evidence that the first message was logged. */
  async function whole() {
    return {
      policy: { signers: [{ name: 'gateway-1', keys: [toHex(issuer.verifyingKey)] }] } as Policy,
      // The lease of the message, and the one that states the log of all three.
      leases: [
        await leaseBy(issuer, subject, day('10:00:00'), day('11:00:00')),
        await leaseBy(issuer, subject, day('10:45:00'), day('11:45:00'), { log: stateOf(RUN, log) }),
      ],
      // The checkpoint that lists the message, and the one that continues the log to the stated root.
      notes: [note(0, 1, 0), note(1, 3, 1)],
      receivedAt: day('18:00:00') as string | undefined,
    }
  }
  type Evidence = Awaited<ReturnType<typeof whole>>

  async function wordFor({ policy, leases, notes, receivedAt }: Evidence) {
    const keyring = await readTrust(policy)
    const early = { keyring, leases, receivedAt: new Date(day('10:31:00')) }
    const verified = await Promise.allSettled(notes.map((one) => verifyCheckpoint(one, early)))
    const checkpoints = verified.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const received = receivedAt === undefined ? {} : { receivedAt: new Date(receivedAt) }
    return verifyMessage(message, { keyring, leases, checkpoints, ...received }).then(
      ({ signedBy }) => signedBy?.time,
      ({ code }) => code,
    )
  }
  const signer = (rules: object): Policy => ({
    signers: [{ name: 'gateway-1', keys: [toHex(issuer.verifyingKey)], ...rules }],
  })

  it('is `logged` if a checkpoint lists the message, and a later lease contains the root of its log', async () => {
    expect(await wordFor(await whole())).toBe('logged')
  })

  it.each<[string, (evidence: Evidence) => Partial<Evidence>]>([
    [
      'the peaks of the checkpoints',
      () => ({ notes: [note(0, 1, 0, { peaks: false }), note(1, 3, 1, { peaks: false })] }),
    ],
  ])('is not `logged` without %s', async (_, less) => {
    const all = await whole()
    expect(await wordFor({ ...all, ...less(all) })).not.toBe('logged')
  })

  it('is not `signed` if the timestamp is outside the period in which the signer may sign', async () => {
    const all = { ...(await whole()), receivedAt: undefined }
    expect(await wordFor(all)).toBe('signed')
    expect(await wordFor({ ...all, policy: signer({ until: day('10:00:59') }) })).toBe('SIGNER_EXPIRED')
  })
})

describe('the verdict of a report', () => {
  const party = generateKey()
  const keyring = [party.verifyingKey]
  const log = Array.from({ length: 6 }, (_, minute) =>
    bundleBy(party, { payload: `${minute}`, timestamp: day(`10:${20 + minute}:00.000000`) }),
  )
  const stolen = bundleBy(party, { payload: 'stolen', timestamp: day('10:22:45.000000') })
  const at = (minute: number) => day(`10:${20 + minute}:30.000000`)
  const note = (number: number, size: number, first: number, more = {}) =>
    checkpointBy(party, {
      run: RUN,
      number,
      log: log.slice(0, size),
      first,
      peaks: false,
      from: at(first - 1),
      at: at(size - 1),
      ...more,
    })
  const notes = () => [note(0, 2, 0, { from: at(-1) }), note(1, 4, 2), note(2, 6, 4, { end: true })]

  async function report(
    given: readonly Uint8Array[],
    there: readonly LoggedMessage[],
  ): Promise<SignerReport> {
    const found = new Completeness({ toleranceMs: 1_000 })
    for (const one of given) found.addCheckpoint(await verifyCheckpoint(one, { keyring }))
    for (const { message } of there) found.addMessage(message, await verifyBatch(message, { keyring }))
    const [only] = found.report() as [SignerReport]
    expect(only.outcome).toBe(VERDICT_WORDS[only.verdict])
    expect(only.says).toContain(party.keyId)
    // A report names the next step if the outcome is unknown, and only then.
    expect(only.needs === undefined).toBe(OUTCOMES[only.outcome].exitCode !== 2)
    return only
  }

  it('is `complete` with all checkpoints and messages, and not if any one of them is missing', async () => {
    expect(await report(notes(), log)).toMatchObject({ verdict: 'complete', outcome: 'holds' })
    for (let gone = 0; gone < 3; gone++) {
      const { verdict } = await report(notes().toSpliced(gone, 1), log)
      expect([gone, verdict]).toEqual([gone, 'unknown'])
    }
    for (let gone = 0; gone < 6; gone++) {
      const { verdict } = await report(notes(), log.toSpliced(gone, 1))
      expect([gone, verdict]).toEqual([gone, 'incomplete'])
    }
  })

  it('is `incomplete` if a message is missing that a checkpoint lists, or that only the count of a later checkpoint reveals', async () => {
    const some = log.toSpliced(3, 1)
    expect(await report(notes(), some)).toMatchObject({ verdict: 'incomplete', outcome: 'does not hold' })
    expect(await report(notes(), log)).toMatchObject({ verdict: 'complete' })
    // Without the list, a count reveals the loss; without any later checkpoint, nothing does.
    expect(await report(notes().toSpliced(1, 1), some)).toMatchObject({
      verdict: 'incomplete',
      missingInGaps: 1,
    })
    expect(await report(notes().slice(0, 1), some.slice(0, 3))).toMatchObject({ verdict: 'unknown' })
  })

  it('is `incomplete` with two differing texts of one checkpoint, and `complete` with only one of them', async () => {
    const other = note(1, 4, 2, { at: day('10:23:31.000000') })
    const [first, second, third] = notes() as [Uint8Array, Uint8Array, Uint8Array]
    expect(await report([first, second, other, third], log)).toMatchObject({
      verdict: 'incomplete',
      forks: [{ size: 4 }],
    })
    expect(await report([first, second, third], log)).toMatchObject({ verdict: 'complete' })
    expect(await report([first, other, third], log)).toMatchObject({ verdict: 'complete' })
  })

  it('is `incomplete` if no checkpoint lists a message, and `unknown` if a checkpoint is missing that might list the message', async () => {
    expect(await report(notes(), [...log, stolen])).toMatchObject({ verdict: 'incomplete', unlisted: [{}] })
    expect(await report(notes().toSpliced(1, 1), [...log, stolen])).toMatchObject({ verdict: 'unknown' })
  })

  it('is `unknown` while a checkpoint is missing, and names that checkpoint as the next step', async () => {
    const open = await report(notes().slice(1), log)
    expect(open).toMatchObject({ verdict: 'unknown', outcome: 'cannot tell', runs: [{ before: 2 }] })
    expect(open.needs).toBe('add the checkpoints that list them')
    expect(await report([], log)).toMatchObject({ verdict: 'unknown', needs: 'add its checkpoints' })
    expect(await report(notes(), log)).toMatchObject({ verdict: 'complete' })
    const pending = note(2, 6, 4, { pending: '5' })
    const waits = await report([...notes().slice(0, 2), pending], log.slice(0, 5))
    expect(waits).toMatchObject({ verdict: 'unknown', pending: 1, needs: 'add its next checkpoint' })
  })
})

describe('the fate of an absent message that a checkpoint lists', () => {
  const party = generateKey()
  const log = [0, 1, 2].map((minute) =>
    bundleBy(party, { payload: `${minute}`, timestamp: day(`10:1${minute}:00.000000`) }),
  )
  const at = (minute: number) => day(`10:1${minute}:30.000000`)
  const note = (number: number, size: number, first: number, more = {}) =>
    checkpointBy(party, {
      run: RUN,
      number,
      log: log.slice(0, size),
      first,
      peaks: false,
      from: at(first),
      at: at(number + 3),
      ...more,
    })

  async function fate(notes: readonly Uint8Array[]) {
    const found = new Completeness({ toleranceMs: 1_000 })
    const read: VerifiedCheckpoint[] = []
    for (const one of notes) read.push(await verifyCheckpoint(one, { keyring: [party.verifyingKey] }))
    for (const one of read.toReversed()) found.addCheckpoint(one)
    for (const { message } of log.slice(1)) {
      found.addMessage(message, await verifyBatch(message, { keyring: [party.verifyingKey] }))
    }
    const [{ missing, refused, pending }] = found.report() as [SignerReport]
    return { missing: missing.length, refused, pending }
  }
  const [IS_MISSING, IS_REFUSED, IS_PENDING] = [
    { missing: 1, refused: 0, pending: 0 },
    { missing: 0, refused: 1, pending: 0 },
    { missing: 0, refused: 0, pending: 1 },
  ]
  const listed = (more = {}) => note(0, 3, 0, more)
  const next = (number: number, more = {}) => note(number, 3, 3, more)

  it('is "pending" until the next checkpoint no longer lists the message as pending, and then "missing" or "refused"', async () => {
    expect(await fate([listed({ pending: '0' })])).toEqual(IS_PENDING)
    expect(await fate([listed({ pending: '0' }), next(1)])).toEqual(IS_MISSING)
    expect(await fate([listed({ pending: '0' }), next(1, { refused: '0' })])).toEqual(IS_REFUSED)
    expect(await fate([listed({ pending: '0' }), next(1, { pending: '0' }), next(2)])).toEqual(IS_MISSING)
    expect(await fate([listed({ refused: '0' })])).toEqual(IS_REFUSED)
  })

  it('stays "pending" if the next checkpoint is not given, unless a later checkpoint names the message', async () => {
    expect(await fate([listed({ pending: '0' }), next(2)])).toEqual(IS_PENDING)
    expect(await fate([listed({ pending: '0' }), next(2, { pending: '0' }), next(3)])).toEqual(IS_MISSING)
    expect(await fate([listed({ pending: '0' }), next(2, { refused: '0' })])).toEqual(IS_REFUSED)
  })

  it('is not changed if a later checkpoint calls the message "refused" after the stream had accepted it', async () => {
    expect(await fate([listed(), next(1, { refused: '0' })])).toEqual(IS_MISSING)
    expect(await fate([listed({ pending: '0' }), next(1), next(2, { refused: '0' })])).toEqual(IS_MISSING)
    expect(await fate([listed(), next(1, { pending: '0' }), next(2, { refused: '0' })])).toEqual(IS_MISSING)
  })
})
