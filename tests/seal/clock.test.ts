import { source } from 'alvarium-sdk'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')
/** 2023-11-14T22:13:20Z. */
const START_MS = 1_700_000_000_000
/** Start of each test, far from all earlier readings of the two clocks. */
let start = START_MS

/** Mocks the platform's clocks, in milliseconds. The monotonic clock has fractions. */
function clocksSay(wall: number, steady: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(start + wall)
  vi.spyOn(performance, 'now').mockReturnValue(5000 + steady)
}

beforeEach(() => {
  vi.restoreAllMocks()
  start += 60_000
  return () => vi.restoreAllMocks()
})

describe('the microseconds of a timestamp', () => {
  /** Returns the timestamps of bundles sealed at these times, in milliseconds since the start. */
  const said = async (...times: [wall: number, steady: number][]) => {
    const { sdk } = await opened([source()])
    const all: number[] = []
    for (const [wall, steady] of times) {
      clocksSay(wall, steady)
      const { timestamp } = (await sdk.create(payload)).bundle
      const [, whole = '', parts = ''] = /^(.*\.\d{3})(\d{3})Z$/.exec(timestamp) ?? []
      all.push(Date.parse(`${whole}Z`) - start + Number(parts) / 1000)
    }
    return all
  }

  it('are those that the monotonic clock has counted since the wall clock was first read', async () => {
    expect(await said([0, 0], [0, 0.25], [1, 1.5], [1, 1.999], [7, 7.125])).toEqual([
      0, 0.25, 1.5, 1.999, 7.125,
    ])
  })

  it('follow the monotonic clock while it differs from the wall clock by at most two milliseconds', async () => {
    expect(await said([0, 0], [10, 12], [10, 8])).toEqual([0, 12, 8])
  })

  it('are reset to 0 when the monotonic clock is more than two milliseconds ahead of the wall clock', async () => {
    expect(await said([0, 0], [10, 12.125], [10, 12.5])).toEqual([0, 10, 10.375])
  })

  it('are reset to 0 when the wall clock was set ahead, or the computer slept', async () => {
    expect(await said([0, 0], [3_600_000, 0.5], [3_600_001, 1.75])).toEqual([0, 3_600_000, 3_600_001.25])
  })

  it('are reset to 0 when the wall clock was set back', async () => {
    expect(await said([5000, 0], [1000, 0.5], [1000, 0.75])).toEqual([5000, 1000, 1000.25])
  })

  it('are correct beyond 2^32 microseconds, where 32-bit numbers overflow', async () => {
    // A multiple of 2^32 microseconds since 1970 lies between them.
    const turn = Math.ceil((start * 1000) / 2 ** 32) * 2 ** 32
    const wall = Math.floor(turn / 1000) - start
    const parts = (turn % 1000) / 1000
    const [first, last, next] = await said([wall, 0], [wall, parts - 0.001], [wall, parts])
    expect(first).toBe(wall)
    expect([last, next]).toEqual([expect.closeTo(wall + parts - 0.001, 2), expect.closeTo(wall + parts, 2)])
  })
})
