import { generateKey, memory, openSdk, type SdkOptions, signBytes, source } from 'alvarium-sdk'
import {
  type CheckpointsOptions,
  checkpoints,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { fromHex, utf8 } from './bytes.js'
import { goldenCheckpoints } from './vectors.js'

/** The text of a checkpoint's note. */
export const noteOf = (message: Uint8Array): string => JSON.parse(new TextDecoder().decode(message)).content

/** The message that carries a note. */
export const messageOf = (note: string): Uint8Array =>
  utf8(JSON.stringify({ messageType: 'alvarium.Checkpoint/1', content: note }))

/** An SDK that signs checkpoints: its messages, and its checkpoints. They come by number alone, unless the options say more. */
export async function loggedSdk(
  options: Partial<SdkOptions> = {},
  { every = 8192, ...more }: Partial<CheckpointsOptions> = {},
) {
  const { signingKey, verifyingKey } = generateKey()
  const [stream, notes] = [memory(), memory()]
  const own = checkpoints({ stream: notes, everyMs: 3_600_000, every, ...more })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, ...options, checkpoints: own })
  const keyring = [verifyingKey]
  return {
    sdk,
    keyring,
    signingKey,
    messages: stream.messages,
    notes: notes.messages,
    /** Its checkpoints so far, verified. */
    read: (): Promise<VerifiedCheckpoint[]> =>
      Promise.all(notes.messages.map((message) => verifyCheckpoint(message, { keyring }))),
  }
}

/** The message of a text that the golden signer has signed in the golden run, whatever it says. */
export function goldenMessage(text: string): Uint8Array {
  const { seed, vkey } = goldenCheckpoints()
  const [name = '', keyId = ''] = vkey.split('+')
  const signature = signBytes({ seed: fromHex(seed) }, utf8(text))
  const sealed = String.fromCharCode(...fromHex(keyId), ...signature)
  return messageOf(`${text}\n\u2014 ${name} ${btoa(sealed)}\n`)
}
