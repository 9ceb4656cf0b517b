// @internal: limits of a data structure, which 10,000 leases with signatures would reach in a minute
import { describe, expect, it } from 'vitest'
import { Book } from '../../dist/evidence/trust/leases/lease-book.js'
import { utf8 } from '../support/bytes.js'
import { subject } from '../support/leases.js'
import { key } from '../support/sdk.js'

type Lease = Parameters<Book['add']>[0]

/** Returns a lease of any issuer that ends in any minute, and its message. */
const leaseOf = (issuer: string, minute: number): readonly [Lease, Uint8Array] => {
  const ends = new Date(Date.UTC(2026, 10, 20) + minute * 60_000).toISOString()
  const named = { issuer, name: '', serial: '00', keyId: subject.keyId, signature: '', subjectSignature: '' }
  const lease = { ...named, subject: hex(subject.verifyingKey), from: '2026-11-20T00:00:00Z', until: ends }
  return [lease, utf8(`${issuer} ${minute}`)]
}
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

describe('the leases of a subscription', () => {
  it('are stored once each, even if a lease arrives twice', () => {
    const book = new Book()
    book.add(...leaseOf(key.keyId, 1))
    expect([book.has(leaseOf(key.keyId, 1)[1]), book.has(leaseOf(key.keyId, 2)[1])]).toEqual([true, false])
    book.add(...leaseOf(key.keyId, 1))
    expect(book.size).toBe(1)
  })

  // claim: threats-86
  it('are at most 1,024 of one issuer and 10,000 in total, and the lease that ends first is dropped', () => {
    const book = new Book()
    const [a, b] = ['a', 'b'].map((digit) => digit.repeat(32)) as [string, string]
    book.add(...leaseOf(b, 0))
    for (let minute = 1; minute <= 1024; minute++) book.add(...leaseOf(a, minute))
    expect(book.size).toBe(1025)
    // An old lease that is sent again makes room at once. Leases of other issuers stay.
    book.add(...leaseOf(a, 0))
    expect([book.size, book.has(leaseOf(a, 0)[1]), book.has(leaseOf(b, 0)[1])]).toEqual([1025, false, true])
    book.add(...leaseOf(a, 1025))
    expect([book.has(leaseOf(a, 1)[1]), book.has(leaseOf(a, 1025)[1])]).toEqual([false, true])
    for (let at = 0; book.size < 10_000; at++) book.add(...leaseOf(`${at}`.padStart(32, '0'), 5000 + at))
    book.add(...leaseOf('c'.repeat(32), 20_000))
    expect([book.size, book.has(leaseOf(b, 0)[1])]).toEqual([10_000, false])
  })
})
