// @internal: the package lets nobody make its core fail
// @alone: how a module is compiled, and how its stack ends, differs
// @browser: how a module is compiled, and how its stack ends, differs

import {
  Keyring,
  keyOf,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyBytes,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { withCore } from '../../dist/foundation/core/core.js'
import { Hasher, Verifier } from '../../dist/foundation/core/generated/core.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { openSealer, openVerifier, Packer, sealRequest, verifyRequest } from '../support/group-requests.js'
import { platform } from '../support/platform.js'
import { key, lastOf, opened } from '../support/sdk.js'

const payload = utf8('hello')

function trap(error: Error = new WebAssembly.RuntimeError('unreachable')): void {
  expect(() =>
    withCore(() => {
      throw error
    }),
  ).toThrow(expect.objectContaining({ code: 'CORE_FAILED', cause: error }))
}

/** Returns whether the stack is exhausted: a RangeError by the standard, Firefox's own InternalError. */
const isOutOfStack = (error: unknown) =>
  error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')

/** Checks that the core works, and that its memory is intact. */
async function expectSound(): Promise<void> {
  const { sdk, verified } = await opened([source()])
  await sdk.create(payload)
  expect((await verified(payload)).annotations).toHaveLength(1)
  await sdk.close()
}

describe('when the core traps', () => {
  afterEach(expectSound)

  it.each([
    ['a trap', new WebAssembly.RuntimeError('unreachable')],
    ['an exhausted stack', new RangeError('Maximum call stack size exceeded')],
    [
      'an exhausted stack in Firefox',
      Object.assign(new Error('too much recursion'), { name: 'InternalError' }),
    ],
    [
      'a borrow that was not released',
      new Error('recursive use of an object detected which would lead to unsafe aliasing in rust'),
    ],
  ])('calls of an SDK that was opened before %s reject, and a new SDK works', async (_, error) => {
    const { sdk } = await opened([source()])
    trap(error)
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    await sdk.close()
  })

  it('closing an SDK from before the trap does not affect a new SDK', async () => {
    const { sdk: old } = await opened([source()])
    trap()
    const { sdk, verified } = await opened([source()])
    await old.close()
    for (let call = 0; call < 10; call++) await sdk.create(payload)
    expect((await verified(payload)).annotations).toHaveLength(1)
    await sdk.close()
  })

  it('a call that waits for its signer rejects, and other SDKs work', async () => {
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

  // claim: threats-33
  it('a keyring still verifies with its keys', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(payload)
    const keyring = new Keyring([key.verifyingKey])
    await verifyMessage(lastOf(stream), { keyring })
    trap()
    await expect(verifyMessage(lastOf(stream), { keyring })).resolves.toBeDefined()
  })

  it('a key that was removed from a keyring stays unknown', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(payload)
    const keyring = new Keyring([key.verifyingKey])
    await verifyMessage(lastOf(stream), { keyring })
    trap()
    expect(keyring.delete(key.keyId)).toBe(true)
    expect(await codeOf(() => verifyMessage(lastOf(stream), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('signBytes and verifyBytes still work', () => {
    trap()
    const signature = signBytes(key.signingKey, payload)
    expect(verifyBytes(key.verifyingKey, payload, signature)).toBe(true)
  })
})

describe('when the core traps during the verification of many messages', () => {
  afterEach(() => vi.restoreAllMocks())
  /** Throws the error of a trap. */
  const unreachable = () => {
    throw new WebAssembly.RuntimeError('unreachable')
  }

  it('the call rejects without a verdict on any message, and the next call works', async () => {
    const { sdk } = await opened([source()])
    const { message } = await sdk.create(payload)
    const keyring = new Keyring([key.verifyingKey])
    vi.spyOn(Verifier.prototype, 'verifyMany').mockImplementationOnce(unreachable)
    expect(await codeOf(() => verifyMessages([message, utf8('{}')], { keyring }))).toBe('CORE_FAILED')
    const outcomes = await verifyMessages([message, utf8('{}')], { keyring })
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await sdk.close()
  })

  // These steps of a worker can be made to fail.
  it.each(['verifies', 'compares a payload'])(
    'a worker that %s throws, and the next call works',
    async (what) => {
      const { sdk } = await opened([source()], { hash: 'md5' })
      // A payload of this length is hashed in pieces.
      const long = new Uint8Array(300_000)
      const { message } = await sdk.create(long)
      const verifier = openVerifier({
        keys: [key.verifyingKey],
        maxTableBytes: 0,
        ecKeys: [],
        engine: 'auto',
      })
      const verify = () => verifier.verify(verifyRequest(message, long))
      if (what === 'verifies') vi.spyOn(Verifier.prototype, 'verifyMany').mockImplementationOnce(unreachable)
      else vi.spyOn(Hasher.prototype, 'update').mockImplementationOnce(unreachable)
      expect(await codeOf(verify)).toBe('CORE_FAILED')
      vi.restoreAllMocks()
      expect(JSON.parse(verify())).toMatchObject([[{ action: 'create' }]])
      verifier.free()
      await sdk.close()
    },
  )

  it('a worker that signs throws CORE_FAILED', async () => {
    const words = { hash: 'none', engine: 'auto', layer: 'app', host: '', tag: '', kinds: [] } as const
    const sealer = openSealer({ ...words, signingKey: key.signingKey.slice() })
    const packer = new Packer()
    const call = { action: 'create', previous: undefined, annotatorBits: 0, answers: 0 } as const
    packer.add({ ...call, payload: { bytes: payload, isDigest: false } })
    expect(sealer.seal(sealRequest(packer))).toBeInstanceOf(Uint8Array)
    packer.add({ ...call, payload: { bytes: Uint8Array.of(0xff), isDigest: false } })
    expect(sealer.seal(sealRequest(packer))).toMatchObject([{}, { code: 'PAYLOAD_INVALID' }])
    trap()
    expect(await codeOf(() => sealer.seal(sealRequest(packer)))).toBe('CORE_FAILED')
  })
})

describe('when a call ends before it reaches the core', () => {
  it.each<[string, unknown]>([
    ['a TypeError', new TypeError('Cannot perform %TypedArray%.prototype.set on a detached ArrayBuffer')],
    ['an error of other code', new Error('Requires sys access')],
    ['a thrown text', 'nothing'],
  ])("%s becomes the call's error, and open SDKs continue", async (_, thrown) => {
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

describe('when a trapped core cannot be replaced at once', () => {
  afterEach(() => vi.restoreAllMocks())
  const noInstances = () =>
    vi.spyOn(WebAssembly, 'Instance').mockImplementation(
      class {
        constructor() {
          throw new RangeError('Maximum call stack size exceeded')
        }
      } as never,
    )

  it('no call uses the trapped core, and a later call replaces it', async () => {
    const { sdk } = await opened([source()])
    const instance = noInstances()
    trap()
    expect(await codeOf(() => verifyBytes(key.verifyingKey, payload, new Uint8Array(64)))).toBe('CORE_FAILED')
    instance.mockRestore()
    await expectSound()
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    await sdk.close()
  })

  it('refused calls do not count towards the limit of sources that are read at the same time', async () => {
    const read = () => keyOf(new Blob([payload]), 'md5')
    const instance = noInstances()
    trap()
    const refused = await Promise.all(Array.from({ length: 1024 }, () => codeOf(read)))
    expect(new Set(refused)).toEqual(new Set(['CORE_FAILED']))
    instance.mockRestore()
    expect(await read()).toBe(keyOf(payload, 'md5'))
  })
})

describe('when the stack is exhausted within a call', () => {
  /** Recurses to the end of the stack, and on the way up tries `act` at every step until it fits. */
  function outcomesFromBelow(act: () => unknown): Set<unknown> {
    const outcomes = new Set<unknown>()
    const isDone = (): boolean => {
      try {
        if (isDone()) return true
      } catch {
        // The stack is exhausted below this step.
      }
      try {
        outcomes.add(act())
        return true
      } catch (error) {
        outcomes.add(isOutOfStack(error) ? 'no stack' : Reflect.get(Object(error), 'code'))
        return false
      }
    }
    isDone()
    return outcomes
  }

  it('the call fails with CORE_FAILED or with the stack overflow, and the core works again afterwards', async () => {
    // Call little of the wrapper, and the part of the core with the deepest stack: the curve.
    const read = () => withCore((core) => core.VerifyingKey.read(key.verifyingKey).free() ?? 'read')
    const outcomes = outcomesFromBelow(read)
    // In Node, some of these steps end within the core. Browsers differ, but have no other outcome.
    if (platform.name === 'browser') outcomes.add('CORE_FAILED')
    outcomes.add('no stack')
    expect(outcomes).toEqual(new Set(['no stack', 'CORE_FAILED', 'read']))
    await expectSound()
  })
})
