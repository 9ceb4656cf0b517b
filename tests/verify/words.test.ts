import {
  extractBundle,
  extractBundles,
  identityBytes,
  source,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { keyring, lastOf, opened } from '../support/sdk.js'

const messageOf = async (payloads: Uint8Array[], options: Parameters<typeof opened>[1] = {}) => {
  const { sdk, stream } = await opened([source()], options)
  if (options.batch) await sdk.createMany(payloads)
  else for (const payload of payloads) await sdk.create(payload)
  await sdk.close()
  return lastOf(stream)
}
const batchOf = (count: number) => messageOf(payloads(count), { batch: { ...patient, maxBundles: count } })

describe('the error of a call that verifies', () => {
  it('says that the message is a batch if one bundle is expected', async () => {
    const message = await batchOf(3)
    expect(await failure(() => verifyMessage(message, { keyring }))).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: 'message: expected one bundle, got a batch of 3: use verifyBatch or extractBundle',
    })
  })

  it('names the argument if a payload or a message is not bytes', async () => {
    const message = await messageOf([utf8('a')])
    await expect(verifyMessage(message, { keyring, payload: 'a' as never })).rejects.toThrow(/^payload: /)
    await expect(verifyMessages([message, 'a' as never], { keyring })).rejects.toThrow(/^messages\[1\]: /)
  })

  it('names a position that a batch does not have', async () => {
    const message = await batchOf(3)
    const at = (index: number) => () => extractBundle(message, index)
    expect(at(3)).toThrow('index: expected below 3, got 3')
    expect(at(65_535)).toThrow('index: expected below 3, got 65535')
    expect(at(65_536)).toThrow('index: expected below 65536, got 65536')
    expect(at(-1)).toThrow(new RangeError('index: expected 0 or more, got -1'))
    expect(at(0.5)).toThrow(new RangeError('index: expected 0 or more, got 0.5'))
  })

  it('names an unknown option, and the known option that is most similar', async () => {
    const message = await batchOf(3)
    const slip = { codce: undefined } as object
    for (const call of [
      () => extractBundle(message, 0, slip),
      () => extractBundles(message, slip),
      () => identityBytes(message, slip),
    ]) {
      expect(call).toThrow(/codce.*\(codec\?\)/)
    }
  })
})
