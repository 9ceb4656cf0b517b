// @node-only: it watches Node's SHA-256

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type Engine, type HashName, keyOf, memory, openSdk } from 'alvarium-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { key } from '../support/sdk.js'

const { hash } = crypto
/** The lengths of the payloads hashed by Node's SHA-256. */
const asked = vi.fn()
const askedFor = () => asked.mock.calls.flat().sort((a: number, b: number) => a - b)

// Replaces Node's export; the package's import follows, because exports of built-in modules are live.
const putInPlace = (replacement: typeof hash) => {
  crypto.hash = replacement
  syncBuiltinESMExports()
}
beforeAll(() =>
  putInPlace(((name: string, data: Uint8Array, encoding: 'binary') => {
    asked(data.length)
    return hash(name, data, encoding)
  }) as typeof hash),
)
afterAll(() => putInPlace(hash))
beforeEach(() => asked.mockClear())

const bytes = (length: number) => new Uint8Array(length)
const LENGTHS = [0, 31, 32, 255, 256, 2047, 2048, 262_144, 262_145]

describe('the hashing engine', () => {
  it.each<[Engine, number[]]>([
    ['wasm', []],
    ['host', LENGTHS],
    ['auto', [256, 2047, 2048, 262_144, 262_145]],
  ])('with the option %s, uses node:crypto in keyOf() only for the lengths %j', (engine, expected) => {
    for (const length of LENGTHS) keyOf(bytes(length), 'sha256', engine)
    expect(askedFor()).toEqual(expected)
  })

  it('is auto by default', () => {
    for (const length of LENGTHS) keyOf(bytes(length))
    expect(askedFor()).toEqual([256, 2047, 2048, 262_144, 262_145])
  })

  it.each<HashName>(['md5', 'none'])('never uses node:crypto for the hash %s', (name) => {
    for (const length of [0, 400, 60_000]) keyOf(bytes(length), name, 'host')
    expect(askedFor()).toEqual([])
  })

  it.each<[Engine, number[]]>([
    ['wasm', []],
    ['host', LENGTHS],
    ['auto', [256, 2047, 2048, 262_144, 262_145]],
  ])(
    'with the option %s, uses node:crypto in create() and createMany() only for payloads with the lengths %j',
    async (engine, expected) => {
      const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory(), engine })
      for (const length of LENGTHS) await sdk.create(bytes(length))
      expect(askedFor()).toEqual(expected)
      asked.mockClear()
      const receipts = await sdk.createMany(LENGTHS.map(bytes))
      expect(askedFor()).toEqual(expected)
      expect(receipts.map(({ bundle }) => bundle.key)).toEqual(LENGTHS.map((length) => keyOf(bytes(length))))
      await sdk.close()
    },
  )
})
