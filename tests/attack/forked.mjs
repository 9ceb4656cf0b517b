// A second, contradicting checkpoint by the same signer.

import { signBytes } from 'alvarium-sdk'

/** Returns the checkpoint with another root, signed with the same key. @param {{ message: Uint8Array }} checkpoint */
export function forkedFrom({ message }, signingKey) {
  const { content } = JSON.parse(new TextDecoder().decode(message))
  const end = content.lastIndexOf('\n\n')
  const lines = content.slice(0, end + 1).split('\n')
  lines[2] = Buffer.alloc(32, 7).toString('base64')
  const text = lines.join('\n')
  const [, name, sealed] = content
    .slice(end + 2)
    .trimEnd()
    .split(' ')
  const keyId = Buffer.from(sealed, 'base64').subarray(0, 4)
  const signature = signBytes(signingKey, new TextEncoder().encode(text))
  const note = `${text}\n\u2014 ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`
  return new TextEncoder().encode(JSON.stringify({ messageType: 'alvarium.Checkpoint/1', content: note }))
}
