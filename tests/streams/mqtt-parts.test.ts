import { describe, expect, it } from 'vitest'
import { backoff } from '../../dist/streams/mqtt/backoff.js'
import { Chain } from '../../dist/streams/mqtt/chain.js'
import { Handover } from '../../dist/streams/mqtt/handover.js'

describe('the time before the next attempt to connect', () => {
  it('doubles with each failure, up to 30 seconds', () => {
    expect([0, 1, 2, 3, 7, 8, 100].map((failures) => backoff(failures, 0))).toEqual([
      200, 400, 800, 1_600, 25_600, 30_000, 30_000,
    ])
  })

  it('is spread over its second half', () => {
    expect(backoff(3, 0.5)).toBe(1_200)
    expect(backoff(3, 1)).toBe(800)
  })
})

describe('a chain', () => {
  const member = (name: string) => ({ name, before: undefined, after: undefined, chained: false })
  const [a, b, c] = [member('a'), member('b'), member('c')]

  it('lets any member leave, wherever it stands, and more than once', () => {
    const chain = new Chain<typeof a>()
    chain.append(b)
    chain.append(c)
    chain.prepend(a)
    chain.remove(b)
    chain.remove(b)
    expect(chain.first).toBe(a)
    chain.remove(a)
    expect(chain.first).toBe(c)
    chain.remove(c)
    expect(chain.first).toBeUndefined()
  })
})

describe('a handover', () => {
  it('tells the producer when the consumer has finished with an item', async () => {
    const handover = new Handover<string>()
    const finished: string[] = []
    handover.give('a', () => finished.push('a'))
    expect(await handover.take()).toEqual({ done: false, value: 'a' })
    expect(finished).toEqual([])
    const next = handover.take()
    expect(finished).toEqual(['a'])
    handover.end()
    expect(await next).toEqual({ done: true, value: undefined })
  })
})
