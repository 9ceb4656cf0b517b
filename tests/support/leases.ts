import { generateKey, type SigningKeyInput, signBytes, toHex } from 'alvarium-sdk'
import { type IssueLeaseOptions, issueLease, type Lease } from 'alvarium-sdk/trust'
import { concat, textOf, utf8 } from './bytes.js'
import { key } from './sdk.js'

export const subject = generateKey()

/** The hour from 10 until 11 o'clock of the day that the tests of times use. */
export const HOUR = { from: Date.UTC(2026, 10, 20, 10), ttlMs: 3_600_000 }

/** Returns a lease by `gateway-1`. */
export const leaseFrom = (options: Partial<IssueLeaseOptions> = {}): Promise<Uint8Array> =>
  issueLease(key.signingKey, { subject: subject.signingKey, ...HOUR, ...options })

export interface LooseLease {
  [member: string]: unknown
  content: { [member: string]: unknown }
}

/** Returns an altered lease, signed again by an owner of both private keys. */
export function resignedLease(
  lease: Uint8Array,
  alter: (message: LooseLease) => void,
  signers: readonly [issuer: SigningKeyInput, subject: SigningKeyInput] = [
    key.signingKey,
    subject.signingKey,
  ],
): Uint8Array {
  const message: LooseLease = JSON.parse(textOf(lease))
  alter(message)
  const identity = identityOf(message.content as unknown as Lease)
  const [signature, subjectSignature] = signers.map((one) => toHex(signBytes(one, identity)))
  return utf8(JSON.stringify({ ...message, content: { ...message.content, signature, subjectSignature } }))
}

/** Returns the identity bytes by FORMAT.md, lease/1: written a second time. */
export function identityOf({ issuer, subject, name, serial, from, until, log, ...lists }: Lease): Uint8Array {
  const texts = [issuer, subject, name, serial, from, until].map(prefixed)
  const { hosts, layers, actions, kinds, tags } = lists
  const listed = [hosts, layers, actions, kinds, tags].map((list) =>
    list ? concat(Uint8Array.of(1), u32(list.length), ...list.map(prefixed)) : Uint8Array.of(0),
  )
  const logged = log
    ? [prefixed(log.run), u32(Math.floor(log.size / 2 ** 32)), u32(log.size), prefixed(log.root)]
    : []
  return concat(utf8('alvarium.Lease/1\n'), ...texts, ...listed, ...logged)
}

const u32 = (number: number) => Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
const prefixed = (text: string) => concat(u32(utf8(text).length), utf8(text))
