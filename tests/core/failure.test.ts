import {
  Keyring,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyBytes,
  verifyMessage,
} from 'alvarium-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
// Only the core itself can be made to fail; the package offers nobody a way to do it.
import { withCore } from '../../dist/core/core.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key, lastOf, opened } from '../support/sdk.js'

const payload = utf8('hello')

/** What a trap looks like from outside. */
function trap(error: Error = new WebAssembly.RuntimeError('unreachable')): void {
  expect(() =>
    withCore(() => {
      throw error
    }),
  ).toThrow(expect.objectContaining({ code: 'CORE_FAILED', cause: error }))
}

/** A RangeError by the standard, Firefox's own InternalError. */
const isOutOfStack = (error: unknown) =>
  error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')

/** The core works, and nothing in it has been overwritten. */
async function expectSound(): Promise<void> {
  const { sdk, verified } = await opened([source()])
  await sdk.create(payload)
  expect((await verified(payload)).annotations).toHaveLength(1)
  await sdk.close()
}

describe('when the core has trapped', () => {
  afterEach(expectSound)

  it.each([
    ['a trap', new WebAssembly.RuntimeError('unreachable')],
    ['an exhausted stack', new RangeError('Maximum call stack size exceeded')],
    [
      'an exhausted stack in Firefox',
      Object.assign(new Error('too much recursion'), { name: 'InternalError' }),
    ],
    [
      'a borrow that never ended',
      new Error('recursive use of an object detected which would lead to unsafe aliasing in rust'),
    ],
  ])('after %s, calls of an open SDK reject and a new one works', async (_, error) => {
    const { sdk } = await opened([source()])
    trap(error)
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    await sdk.close()
  })

  it('closing the old SDK leaves the new one alone', async () => {
    const { sdk: old } = await opened([source()])
    trap()
    const { sdk, verified } = await opened([source()])
    await old.close()
    for (let call = 0; call < 10; call++) await sdk.create(payload)
    expect((await verified(payload)).annotations).toHaveLength(1)
    await sdk.close()
  })

  it('a call that waits for its signer rejects, and others go on', async () => {
    let answer = (_: Uint8Array) => {}
    const signer: Signer = {
      verifyingKey: key.verifyingKey,
      sign: () => new Promise((resolve) => (answer = resolve)),
    }
    const sdk = await openSdk({ signingKey: signer, annotators: [], stream: memory() })
    const call = failure(() => sdk.create(payload))
    await new Promise((resolve) => setTimeout(resolve))
    trap()
    const { sdk: other, verified } = await opened([source()])
    answer(new Uint8Array(64))
    expect((await call).code).toBe('CORE_FAILED')
    await other.create(payload)
    expect((await verified(payload)).annotations).toHaveLength(1)
    await Promise.all([sdk.close(), other.close()])
  })

  it('a keyring goes on with the keys that it has', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(payload)
    const keyring = new Keyring([key.verifyingKey])
    await verifyMessage(lastOf(stream), { keyring })
    trap()
    await expect(verifyMessage(lastOf(stream), { keyring })).resolves.toBeDefined()
  })

  it('a key that is taken out of a keyring stays out', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(payload)
    const keyring = new Keyring([key.verifyingKey])
    await verifyMessage(lastOf(stream), { keyring })
    trap()
    expect(keyring.delete(key.keyId)).toBe(true)
    expect(await codeOf(() => verifyMessage(lastOf(stream), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('signing and verifying bytes work', () => {
    trap()
    const signature = signBytes(key.signingKey, payload)
    expect(verifyBytes(key.verifyingKey, payload, signature)).toBe(true)
  })
})

describe('when a call ends before it reaches the core', () => {
  it.each<[string, unknown]>([
    ['a TypeError', new TypeError('Cannot perform %TypedArray%.prototype.set on a detached ArrayBuffer')],
    ["an error of somebody else's", new Error('Requires sys access')],
    ['what is no error', 'nothing'],
  ])('%s comes out as it is, and open SDKs go on', async (_, thrown) => {
    const { sdk, verified } = await opened([source()])
    const call = async () =>
      withCore(() => {
        throw thrown
      })
    await expect(call()).rejects.toBe(thrown)
    await sdk.create(payload)
    expect((await verified(payload)).annotations).toHaveLength(1)
    await sdk.close()
  })
})

describe('when the core cannot be replaced at once', () => {
  it('nothing of it is used, and the next call replaces it', async () => {
    const { sdk } = await opened([source()])
    const instance = vi.spyOn(WebAssembly, 'Instance').mockImplementation(
      class {
        constructor() {
          throw new RangeError('Maximum call stack size exceeded')
        }
      } as never,
    )
    trap()
    expect(await codeOf(() => verifyBytes(key.verifyingKey, payload, new Uint8Array(64)))).toBe('CORE_FAILED')
    instance.mockRestore()
    await expectSound()
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    await sdk.close()
  })
})

describe('when the stack is exhausted in the middle of a call', () => {
  it('the call says so, and the core works again', async () => {
    const outcomes = new Set<unknown>()
    const deep = (): number => {
      let left = 0
      try {
        left = deep() + 1
      } catch {
        // The end of the stack: on the way back there is a little more of it at each level.
      }
      try {
        if (left < 400) outcomes.add(verifyBytes(key.verifyingKey, payload, new Uint8Array(64)))
      } catch (error) {
        outcomes.add(isOutOfStack(error) ? 'no stack' : Reflect.get(Object(error), 'code'))
      }
      return left
    }
    deep()
    for (const outcome of outcomes) expect([false, 'no stack', 'CORE_FAILED']).toContain(outcome)
    await expectSound()
  })
})
