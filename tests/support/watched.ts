// @internal: a subscription has the bounds of millions of messages, and the clock of its machine
import { generateKey, Keyring, type VerifiedBundle, verifyBatch } from 'alvarium-sdk'
import type { Finding, WatchOptions } from 'alvarium-sdk/completeness'
import { vi } from 'vitest'
import { BOUNDS, type Bounds } from '../../dist/evidence/completeness/live/live-signers.js'
import { Watch } from '../../dist/evidence/completeness/live/watch.js'
import { loggedSdk } from './checkpoints.js'

export const signer = generateKey()
export const keyring = new Keyring([signer.verifyingKey])

/** Time of the stopped clock. */
export const NOON = Date.parse('2026-11-20T12:00:00Z')

/** Output of a run: its messages and checkpoints. */
export interface Life {
  readonly messages: readonly Uint8Array[]
  readonly notes: readonly Uint8Array[]
}

export interface LifeOptions {
  readonly every?: number
  readonly many?: number
  readonly after?: Uint8Array | undefined
  readonly signingKey?: Uint8Array
}

/** Returns a run with so many messages, single ones by default. */
export async function life(
  count: number,
  { every = 4, many = 1, after, signingKey = signer.signingKey }: LifeOptions = {},
): Promise<Life> {
  const { sdk, messages, notes } = await loggedSdk({ signingKey }, { every, after })
  for (let at = 0; at < count; at++) {
    second()
    if (many === 1) await sdk.create(Uint8Array.of(at))
    else await sdk.createMany(Array.from({ length: many }, (_, one) => Uint8Array.of(at, one)))
  }
  second()
  await sdk.close()
  return { messages, notes }
}

export function second(): void {
  vi.setSystemTime(Date.now() + 1_000)
}

/** Watches as a subscription that has listened since noon, or another time. The test passes messages to it. */
export function watching(
  options: WatchOptions = {},
  isGroup = false,
  bounds: Partial<Bounds> = {},
  listeningSince = NOON,
) {
  const findings: Finding[] = []
  let isBehind = true
  const settings = { graceMs: 100, silentMs: 40_000, toleranceMs: 100, isPart: false, maxMessages: 1_000 }
  const watch = new Watch(
    { topic: undefined, ...settings, ...options } as ConstructorParameters<typeof Watch>[0],
    { isGroup, isBehind: () => isBehind, report: (finding) => findings.push(finding) },
    { ...BOUNDS, ...bounds },
  )
  let now = Date.now()
  vi.setSystemTime(listeningSince)
  watch.setListening()
  vi.setSystemTime(now)
  return {
    findings,
    kinds: () => findings.map(({ kind }) => kind),
    stats: () => watch.stats(),
    async message(message: Uint8Array, bundles?: readonly VerifiedBundle[]) {
      const verified = bundles ?? (await verifyBatch(message, { keyring }))
      watch.addMessage({ message, receivedAt: ++now }, verified, undefined)
    },
    async messages(messages: readonly Uint8Array[], known = keyring) {
      for (const one of messages) await this.message(one, await verifyBatch(one, { keyring: known }))
    },
    async notes(notes: readonly Uint8Array[], known = keyring) {
      for (const message of notes)
        await watch.addCheckpoint({ message, receivedAt: ++now }, { keyring: known })
    },
    /** Reports, after so long, that no message waits. */
    async later(ms = 100) {
      now += ms
      await watch.look(now, true)
    },
    /** Listens again after the connection was lost for so long. */
    listensAgain(ms: number) {
      now += ms
      vi.advanceTimersByTime(now - Date.now())
      watch.setListening()
    },
    /** Lets the timer look once. @param isWaiting - true if the loop waits @param isAway - true if the connection is away, or more may wait */
    isIdle(isWaiting: boolean, isAway: boolean) {
      isBehind = isAway
      watch.setWaiting(isWaiting)
      vi.advanceTimersByTime(1_000)
    },
    /** Reports, after so long, that more messages wait than the loop has asked for. */
    async isSlow(ms: number) {
      now += ms
      await watch.look(now, false)
    },
    close: () => watch.close(),
  }
}
