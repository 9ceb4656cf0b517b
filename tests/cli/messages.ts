import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Annotator, type Codec, generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { folder } from './command.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const doubt: Annotator<'doubt'> = { kind: 'doubt', isSatisfied: () => false }

/** Makes a folder with `private.key` and `public.key`, and returns their signer. */
export async function signer() {
  const cwd = await folder()
  const { signingKey, verifyingKey, keyId } = generateKey()
  await writeFile(join(cwd, 'private.key'), toHex(signingKey))
  await writeFile(join(cwd, 'public.key'), toHex(verifyingKey))
  return {
    cwd,
    keyId,
    signingKey,
    at: (name: string) => join(cwd, name),
    key: ['--key', join(cwd, 'public.key')],
    write: async (name: string, content: string | Uint8Array) => {
      await writeFile(join(cwd, name), content)
      return join(cwd, name)
    },
    sealed: (options: { codec?: Codec; host?: string } = {}) => sealed(signingKey, options),
  }
}

/** Returns three messages about the payloads `a`, `b` and `c`, and one about all of them in a batch. */
async function sealed(signingKey: Uint8Array, options: { codec?: Codec; host?: string }) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source(), doubt], stream, host: 'edge-7', ...options })
  for (const text of ['a', 'b', 'c']) await sdk.create(encoder.encode(text))
  await sdk.createMany(['a', 'b', 'c'].map((text) => encoder.encode(text)))
  await sdk.close()
  const [a, b, c, batch] = stream.messages as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  return { a, b, c, batch }
}

export const text = (bytes: Uint8Array) => decoder.decode(bytes)

/** The id of a sealed set. */
export const SET = 'ab'.repeat(32)

/**
 * Returns a message about the payload `average`, made from a set and `count` payloads with numbers as their content,
 * and messages about these.
 */
export async function ofMany(signingKey: Uint8Array, count: number) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7' })
  const readings = Array.from({ length: count }, (_, at) => encoder.encode(`${at}`))
  for (const reading of readings) await sdk.create(reading)
  await sdk.mutate([{ set: SET }, ...readings], encoder.encode('average'))
  await sdk.close()
  return { a: stream.messages.at(-1) as Uint8Array, all: [...stream.messages] }
}
