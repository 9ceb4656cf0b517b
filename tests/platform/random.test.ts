import { generateKey, toHex } from 'alvarium-sdk'
import { expect, it, vi } from 'vitest'

it('generateKey says which Node version has random numbers if the platform has none', () => {
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
