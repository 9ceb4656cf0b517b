import { generateKey, memory, openSdk, type SdkOptions, signBytes, source } from 'alvarium-sdk'
import {
  type CheckpointsOptions,
  checkpoints,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { fromHex, utf8 } from './bytes.js'
import { goldenCheckpoints } from './vectors.js'

export const noteOf = (message: Uint8Array): string => JSON.parse(new TextDecoder().decode(message)).content

export const messageOf = (note: string): Uint8Array =>
  utf8(JSON.stringify({ messageType: 'alvarium.Checkpoint/1', content: note }))

/**
 * Opens an SDK that signs checkpoints. Returns its messages and checkpoints. By default, only the number of messages
 * starts a checkpoint.
 */
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
    read: (): Promise<VerifiedCheckpoint[]> =>
      Promise.all(notes.messages.map((message) => verifyCheckpoint(message, { keyring }))),
  }
}

/** Returns the message of any text, signed by the golden signer in the golden run. */
export function goldenMessage(text: string): Uint8Array {
  const { seed, vkey } = goldenCheckpoints()
  const [name = '', keyId = ''] = vkey.split('+')
  const signature = signBytes({ seed: fromHex(seed) }, utf8(text))
  const sealed = String.fromCharCode(...fromHex(keyId), ...signature)
  return messageOf(`${text}\n\u2014 ${name} ${btoa(sealed)}\n`)
}
