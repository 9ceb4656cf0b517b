// @internal: no runtime here has a MessageChannel that throws
import { expect, it, vi } from 'vitest'
import { CooperativeScheduler } from '../../dist/foundation/base/time/turns.js'
import { platform } from '../../dist/foundation/platform/platform.js'
import '../../dist/foundation/platform/web.js'

const nextTurn = () => platform.nextTurn()

/** Next.js' substitute at the edge for each missing name of Node: a function of that name, which throws. */
class Unsupported {
  constructor() {
    throw new Error('A Node.js API is used (MessageChannel) which is not supported in the Edge Runtime.')
  }
}

it('the SDK still yields to the event loop if MessageChannel throws, as it does on the edge runtime of Next.js', async () => {
  vi.stubGlobal('MessageChannel', Unsupported)
  expect(typeof MessageChannel).toBe('function')
  await expect(nextTurn()).resolves.toBeUndefined()
  const turns = new CooperativeScheduler(nextTurn)
  for (let turn = 0; turn < 3; turn++) {
    expect(turns.mustWait()).toBe(false)
    await nextTurn()
    await nextTurn()
  }
  vi.unstubAllGlobals()
})

it('CooperativeScheduler asks again for a turn of the event loop if its first request was rejected', async () => {
  const failing = vi.fn(() => Promise.reject(new Error('no turn')))
  const turns = new CooperativeScheduler(failing)
  expect(turns.mustWait()).toBe(false)
  await nextTurn()
  expect(turns.mustWait()).toBe(false)
  expect(failing).toHaveBeenCalledTimes(2)
})
