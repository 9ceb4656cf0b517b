import { expect, it, vi } from 'vitest'
import { randomFill } from '../../dist/base/bytes/random.js'

it('where programs have no random numbers, as in Node 18, the error says which Node has', () => {
  vi.stubGlobal('crypto', undefined)
  try {
    expect(() => randomFill(new Uint8Array(8))).toThrow(
      expect.objectContaining({
        code: 'CORE_UNAVAILABLE',
        message: expect.stringMatching(
          /as Node has from 20\.19, got none \(this is (Node \d+\.\d+\.\d+|another runtime)\)$/,
        ),
      }),
    )
  } finally {
    vi.unstubAllGlobals()
  }
  expect(new Set(randomFill(new Uint32Array(64))).size).toBeGreaterThan(32)
})
