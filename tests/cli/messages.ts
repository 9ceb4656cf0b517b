import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Annotator, type Codec, generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { folder } from './command.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Says no, always. */
const doubt: Annotator<'doubt'> = { kind: 'doubt', isSatisfied: () => false }

/** A folder with `private.key` and `public.key`, and who signs with them. */
export async function signer() {
  const cwd = await folder()
  const { signingKey, verifyingKey, keyId } = generateKey()
  await writeFile(join(cwd, 'private.key'), toHex(signingKey))
  await writeFile(join(cwd, 'public.key'), toHex(verifyingKey))
  return {
    cwd,
    keyId,
    signingKey,
    /** A file in the folder. */
    at: (name: string) => join(cwd, name),
    /** Whom to trust. */
    key: ['--key', join(cwd, 'public.key')],
    /** Writes a file in the folder, and says where it is. */
    write: async (name: string, content: string | Uint8Array) => {
      await writeFile(join(cwd, name), content)
      return join(cwd, name)
    },
    sealed: (options: { codec?: Codec; host?: string } = {}) => sealed(signingKey, options),
  }
}

/** Three messages about the payloads `a`, `b` and `c`, and one about all of them in a batch. */
async function sealed(signingKey: Uint8Array, options: { codec?: Codec; host?: string }) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source(), doubt], stream, host: 'edge-7', ...options })
  for (const text of ['a', 'b', 'c']) await sdk.create(encoder.encode(text))
  await sdk.createMany(['a', 'b', 'c'].map((text) => encoder.encode(text)))
  await sdk.close()
  const [a, b, c, batch] = stream.messages as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  return { a, b, c, batch }
}

/** As text. */
export const text = (bytes: Uint8Array) => decoder.decode(bytes)

/** A sealed set, by its id. */
export const SET = 'ab'.repeat(32)

/** A message about the payload `average`, made from a set and so many payloads, which are called by numbers; and messages about those. */
export async function ofMany(signingKey: Uint8Array, count: number) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7' })
  const readings = Array.from({ length: count }, (_, at) => encoder.encode(`${at}`))
  for (const reading of readings) await sdk.create(reading)
  await sdk.mutate([{ set: SET }, ...readings], encoder.encode('average'))
  await sdk.close()
  return { a: stream.messages.at(-1) as Uint8Array, all: [...stream.messages] }
}
