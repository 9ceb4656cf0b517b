import { generateKey, toHex } from 'alvarium-sdk'
import { expect, it, vi } from 'vitest'

it('generateKey throws an error with the required Node version if the platform has no random numbers', () => {
  vi.stubGlobal('crypto', undefined)
  try {
    expect(() => generateKey()).toThrow(
      expect.objectContaining({
        code: 'CORE_UNAVAILABLE',
        message: expect.stringMatching(
          /use Node 20\.19 or later \(this is (Node \d+\.\d+\.\d+|another runtime)\)$/,
        ),
      }),
    )
  } finally {
    vi.unstubAllGlobals()
  }
  const seeds = Array.from({ length: 8 }, () => toHex(generateKey().signingKey))
  expect(new Set(seeds).size).toBe(8)
})
