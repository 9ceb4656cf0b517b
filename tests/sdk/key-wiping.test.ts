import { createHash } from 'node:crypto'
import { generateKey, memory, openSdk, signBytes, source } from 'alvarium-sdk'
import { expect, it } from 'vitest'
// The package shows nobody the memory of its core; a debugger or a crash dump does.
import { initSync } from '../../dist/core/generated/core.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')
const noBroker = { connect: () => Promise.reject(new Error('no broker')), publish: () => {} }

function withWrongHalf(signingKey: Uint8Array): Uint8Array {
  const wrong = signingKey.slice()
  wrong[40] = (wrong[40] as number) ^ 1
  return wrong
}

/** The seed, and the two halves it expands to (RFC 8032 §5.1.5): each of them is as good as the key. */
function secretsOf(signingKey: Uint8Array): Uint8Array[] {
  const seed = signingKey.subarray(0, 32)
  const expanded = createHash('sha512').update(seed).digest()
  return [seed, expanded.subarray(0, 32), expanded.subarray(32)]
}

function copiesInCore(secret: Uint8Array): number {
  return (
    Buffer.from(initSync(undefined as never).memory.buffer)
      .toString('latin1')
      .split(Buffer.from(secret).toString('latin1')).length - 1
  )
}

it('an open SDK keeps its key in the memory of the core, where this test can see it', async () => {
  const { signingKey } = generateKey()
  const { sdk } = await opened([source()], { signingKey })
  expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
  await sdk.close()
})

it.each<[string, (signingKey: Uint8Array) => unknown]>([
  ['a key was made', () => {}],
  [
    'an SDK was opened and closed',
    async (signingKey) => (await opened([source()], { signingKey })).sdk.close(),
  ],
  [
    'an SDK was used and closed',
    async (signingKey) => {
      const { sdk } = await opened([source()], { signingKey })
      await sdk.create(payload)
      await sdk.close()
    },
  ],
  ['bytes were signed', (signingKey) => signBytes(signingKey, payload)],
  [
    'a key in hexadecimal was used',
    (signingKey) => signBytes(Buffer.from(signingKey).toString('hex'), payload),
  ],
  [
    'the stream could not connect',
    (signingKey) => failure(() => openSdk({ signingKey, annotators: [], stream: noBroker })),
  ],
  [
    'the halves of the key did not belong together',
    (signingKey) =>
      failure(() => openSdk({ signingKey: withWrongHalf(signingKey), annotators: [], stream: memory() })),
  ],
])('after %s, nothing of the private key is left there', async (_, act) => {
  const { signingKey } = generateKey()
  await act(signingKey)
  expect(secretsOf(signingKey).map(copiesInCore)).toEqual([0, 0, 0])
})
