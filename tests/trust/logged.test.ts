// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { cbor, extractBundle, identityBytes, verifyBatch, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readLease } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { messageOf } from '../support/checkpoints.js'
import { digest } from '../support/digest.js'
import { codeOf } from '../support/failure.js'
import { openLogged } from '../support/leased.js'
import { key, keyring } from '../support/sdk.js'
import { signAgain } from '../support/sign-again.js'
import { trustOf } from '../support/trust.js'
import { until } from '../support/until.js'

const payload = utf8('21.4')
const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 10, 20, 10) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the checkpoints of an SDK whose key is leased', () => {
  it('are signed by that key, and verify with its lease', async () => {
    const { sdk, notes, leases } = await openLogged()
    await sdk.create(payload)
    await sdk.close()
    const trust = await trustOf()
    for (const note of notes) {
      const { signedBy, signer } = await verifyCheckpoint(note, { keyring: trust, leases })
      expect(signedBy).toMatchObject({ id: key.keyId, name: 'gateway-1', time: 'signed' })
      expect(signer).toBe(readLease(leases[0] as Uint8Array).keyId)
      expect(await codeOf(() => verifyCheckpoint(note, { keyring: trust }))).toBe('SIGNER_UNKNOWN')
      expect(await codeOf(() => verifyCheckpoint(note, { keyring, leases }))).toBe('CONFIG_INVALID')
    }
  })

  it('are refused like bundles if they are late, or if their lease is revoked or too long', async () => {
    const { sdk, notes, leases } = await openLogged()
    await sdk.close()
    const [note] = notes as [Uint8Array]
    const { serial } = readLease(leases[0] as Uint8Array)
    const verdict = async (policy: object, receivedAt = Date.now()) => {
      const trust = await trustOf(policy)
      return codeOf(() => verifyCheckpoint(note, { keyring: trust, leases, receivedAt }))
    }
    const since = new Date(Date.now()).toISOString()
    expect(await verdict({ revokedLeases: [{ serial, since }] })).toBe('SIGNER_REVOKED')
    expect(await verdict({ maxLeaseMs: 1000 })).toBe('SIGNER_NOT_ALLOWED')
    expect(await verdict({}, Date.now() + 2 * HOUR)).toBe('SIGNER_EXPIRED')
    expect(await verdict({ until: '2026-11-20T09:00:00Z' })).toBe('SIGNER_EXPIRED')
  })

  // claim: completeness-6
  it('count as checkpoints of the issuer of the lease, however many keys the issuer has leased', async () => {
    const [trust, completeness] = [await trustOf(), new Completeness()]
    for (let life = 0; life < 3; life++) {
      const { sdk, notes, leases, messages } = await openLogged({}, { every: 2 })
      for (let at = 0; at < 5; at++) await sdk.create(payload)
      await sdk.close()
      const options = { keyring: trust, leases }
      for (const note of notes) completeness.addCheckpoint(await verifyCheckpoint(note, options))
      const there = life === 1 ? messages.slice(1) : messages
      for (const message of there) completeness.addMessage(message, await verifyBatch(message, options))
    }
    const reports = completeness.report()
    expect(reports).toMatchObject([
      { signer: key.keyId, name: 'gateway-1', verdict: 'incomplete', messages: 14, unlisted: [], forks: [] },
    ])
    expect(reports[0]?.runs.map(({ size, hasEnded }) => [size, hasEnded])).toEqual(Array(3).fill([5, true]))
    expect(reports[0]?.missing).toMatchObject([{ first: 0, last: 0, run: reports[0]?.runs[1]?.run }])
  })

  it('report a batch as refused if the lease had ended before the batch could be signed', async () => {
    const { sdk, notes, leases, hsm, messages } = await openLogged()
    await sdk.createMany([payload])
    hsm.isAway = true
    const code = codeOf(() => sdk.createMany([payload, payload]))
    // A machine that sleeps has no timer that seals the batch in time.
    vi.setSystemTime(Date.now() + HOUR)
    expect(await code).toBe('SIGNER_FAILED')
    const told = notes.length
    await vi.advanceTimersByTimeAsync(HOUR)
    // A checkpoint signed without a lease would be refused.
    expect(notes).toHaveLength(told)
    hsm.isAway = false
    await vi.advanceTimersByTimeAsync(30_000)
    await until(() => leases.length === 2)
    await sdk.close()
    expect(messages).toHaveLength(1)
    const options = { keyring: await trustOf(), leases, receivedAt: Date.now() }
    const { size, refused, pending } = await verifyCheckpoint(notes.at(-1) as Uint8Array, options)
    expect({ size, refused, pending }).toEqual({ size: 2, refused: [{ first: 1, last: 1 }], pending: [] })
  })
})

describe('a message in a log whose size and root a lease contains', () => {
  /** Opens an SDK that signs one message in each of so many half hours. Returns its output, and its verified checkpoints. */
  async function signing(halves: number, policy: Parameters<typeof trustOf>[0] = {}) {
    const opened = await openLogged({}, { every: 2 })
    for (let at = 0; at < halves; at++) {
      await opened.sdk.create(Uint8Array.of(at))
      if (at % 2 === 1) await opened.sdk.createMany([Uint8Array.of(at), payload])
      await vi.advanceTimersByTimeAsync(HOUR / 2)
      await until(() => opened.leases.length > (at + 1) / 1.5)
    }
    await opened.sdk.create(payload)
    await opened.sdk.close()
    const { leases, notes, messages } = opened
    // The last lease states the end, and is over at once.
    const { from, until: end, log } = readLease(leases.at(-1) as Uint8Array)
    expect([Date.parse(end) - Date.parse(from), log?.size]).toEqual([1, messages.length])
    const trust = await trustOf(policy)
    const checkpoints = await Promise.all(
      notes.map((note) => verifyCheckpoint(note, { keyring: trust, leases })),
    )
    return { leases, notes, messages, checkpoints, trust }
  }
  const LATE = 365 * 24 * HOUR

  it('is followed by renewed leases, each with the size and root of one of the checkpoints', async () => {
    const { leases, checkpoints } = await signing(6)
    const logs = leases.map((lease) => readLease(lease).log)
    expect(logs[0]).toBeUndefined()
    expect(logs.slice(1).every((log) => log !== undefined)).toBe(true)
    for (const log of logs.slice(1)) {
      expect(
        checkpoints.filter(
          ({ run, size, root }) => log && run === log.run && size === log.size && root === log.root,
        ),
      ).not.toEqual([])
    }
    expect(logs.slice(1).map((log) => log?.size)).toEqual([...new Set(logs.slice(1).map((log) => log?.size))])
  })

  // claim: threats-92
  it('is valid however late it arrives, in a batch or not', async () => {
    const { leases: all, messages, checkpoints, trust } = await signing(6)
    // After a kill, messages since the last renewal have no proven time.
    const leases = all.slice(0, -1)
    const stated = Math.max(...leases.map((lease) => readLease(lease).log?.size ?? 0))
    expect(stated).toBeLessThan(messages.length)
    const options = { keyring: trust, leases, checkpoints, receivedAt: Date.now() + LATE }
    const together = await verifyMessages(messages, options)
    for (const [at, message] of messages.entries()) {
      const verdict = at < stated ? 'logged' : 'SIGNER_EXPIRED'
      const toldBy = (verified: Promise<readonly { readonly signedBy?: { readonly time: string } }[]>) =>
        verified.then(
          ([bundle]) => bundle?.signedBy?.time,
          ({ code }) => code,
        )
      expect(await toldBy(verifyBatch(message, options))).toBe(verdict)
      const one = together[at]
      expect(one?.status === 'fulfilled' ? one.value[0]?.signedBy?.time : one?.reason.code).toBe(verdict)
      const cborOptions = { ...options, codec: cbor() }
      expect(await toldBy(verifyBatch(cbor().encode(message) as Uint8Array, cborOptions))).toBe(verdict)
      // A bundle extracted from its batch has the batch's signature.
      const single = at % 3 === 2 ? extractBundle(message, 1) : message
      expect(await toldBy(verifyMessage(single, options).then((bundle) => [bundle]))).toBe(verdict)
      expect(await toldBy(verifyBatch(message, { ...options, checkpoints: [] }))).toBe('SIGNER_EXPIRED')
      expect(await toldBy(verifyBatch(message, { ...options, leases: leases.slice(0, 1) }))).not.toBe(
        'logged',
      )
    }
  })

  it('is also valid in a batch that is large enough to be verified in parts', async () => {
    const { sdk, messages, notes, leases } = await openLogged({}, {}, { batch: { maxBundles: 4096 } })
    await sdk.createMany(Array.from({ length: 2000 }, (_, at) => Uint8Array.of(at, at >> 8)))
    await sdk.close()
    const [message] = messages as [Uint8Array]
    expect(message.length).toBeGreaterThan(256 * 1024)
    const keyring = await trustOf()
    const checkpoints = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring, leases })))
    const options = { keyring, leases, checkpoints, receivedAt: Date.now() + LATE }
    expect((await verifyBatch(message, options)).map(({ signedBy }) => signedBy?.time)).toEqual(
      Array(2000).fill('logged'),
    )
    const [together] = await verifyMessages([message], options)
    expect(together?.status).toBe('fulfilled')
  })

  it('is not proved by checkpoints that were not verified, and the error says so', async () => {
    const { leases, messages, checkpoints, trust } = await signing(2)
    const options = { keyring: trust, leases, receivedAt: Date.now() + LATE }
    const notes = checkpoints.map(({ note }) => utf8(note)) as never
    for (const given of [notes, [undefined] as never]) {
      const [first] = messages as [Uint8Array]
      await expect(verifyMessage(first, { ...options, checkpoints: given })).rejects.toThrow(TypeError)
      await expect(verifyMessages([first], { ...options, checkpoints: given })).rejects.toThrow(
        /^checkpoints: expected verified checkpoints, got /,
      )
    }
  })

  it('is proved by all checkpoints up to the next renewal of the lease, in any order', async () => {
    const { leases, messages, checkpoints, trust } = await signing(6)
    const options = { keyring: trust, leases, receivedAt: Date.now() + LATE }
    const [first] = messages as [Uint8Array]
    const some = checkpoints.filter(
      ({ size }) => size > 0 && size <= (readLease(leases[1] as Uint8Array).log?.size ?? 0),
    )
    expect((await verifyMessage(first, { ...options, checkpoints: some.toReversed() })).signedBy?.time).toBe(
      'logged',
    )
    const cut = some.slice(0, -1)
    expect(await codeOf(() => verifyMessage(first, { ...options, checkpoints: cut }))).toBe('SIGNER_EXPIRED')
  })

  it('cannot be added later by a thief of the signing key, because the root of the log would differ', async () => {
    const { leases, checkpoints, messages, trust } = await signing(4)
    const options = { keyring: trust, leases, receivedAt: Date.now() + LATE }
    const last = messages.at(-1) as Uint8Array
    const leaf = digest('sha256', Uint8Array.from([0, ...identityBytes(last)])).toLowerCase()
    const stolen = (note: string) => verifyCheckpoint(signAgain(messageOf(note), key, key), { keyring })
    for (const { note } of checkpoints.filter(({ entries }) => entries.length > 0)) {
      await stolen(note)
      expect(await codeOf(() => stolen(withLeaf(note, 'ab'.repeat(32))))).toBe('MESSAGE_MALFORMED')
    }
    // Checkpoints that hide their root are in no stated log.
    const own = checkpoints.map((one) => ({ ...one, root: leaf, entries: [{ id: leaf, bundles: 1, leaf }] }))
    expect(await codeOf(() => verifyBatch(last, { ...options, checkpoints: own }))).toBe('SIGNER_EXPIRED')
  })

  it('is refused if its lease was revoked before another lease contained the root of the log', async () => {
    const { leases, messages, checkpoints } = await signing(4)
    const serials = leases.map((lease) => readLease(lease).serial)
    const [first] = messages as [Uint8Array]
    const verdict = async (rules: Parameters<typeof trustOf>[0], at: number | null = Date.now() + LATE) => {
      const receivedAt = at ?? undefined
      const options = { keyring: await trustOf(rules), leases, checkpoints, receivedAt }
      return verifyMessage(first, options).then(
        ({ signedBy }) => signedBy?.time,
        ({ code }) => code,
      )
    }
    const since = new Date(Date.now()).toISOString()
    const revoked = (which: readonly (string | undefined)[], from = since) => ({
      revokedLeases: which.map((serial) => ({ serial: serial as string, since: from })),
    })
    expect(await verdict({})).toBe('logged')
    // The key was stolen after its log was stated by another lease.
    expect(await verdict(revoked(serials.slice(0, 1)))).toBe('logged')
    expect(await verdict(revoked(serials.slice(0, 1)), null)).toBe('logged')
    expect(await verdict(revoked(serials.slice(0, 1), '2026-11-20T10:00:00Z'))).toBe('SIGNER_REVOKED')
    expect(await verdict(revoked(serials))).toBe('SIGNER_REVOKED')
    expect(await verdict(revoked(serials.slice(1)))).toBe('SIGNER_EXPIRED')
    expect(await verdict({ revoked: { since } })).toBe('SIGNER_REVOKED')
    expect(await verdict({ maxLeaseMs: 1000 })).toBe('SIGNER_NOT_ALLOWED')
    // The issuer's own time has ended since, and only an earlier time of receipt extends it.
    expect(await verdict({ until: since })).toBe('SIGNER_EXPIRED')
    expect(await verdict({ until: since }, Date.parse(since) + 60_000)).toBe('logged')
  })
})

/** Replaces the first leaf in the list of a note. */
function withLeaf(note: string, leaf: string): string {
  const [, list = ''] = /^(?:bundles|batch \d+) (.+)$/m.exec(note) ?? []
  const bytes = Uint8Array.from(atob(list), (character) => character.charCodeAt(0))
  bytes.set(fromHex(leaf))
  return note.replace(list, btoa(String.fromCharCode(...bytes)))
}
