import { identityBytes, signBytes, toHex } from 'alvarium-sdk'
import { noteLine, type Party } from './by-hand.js'
import { textOf, utf8 } from './bytes.js'
import { messageOf } from './checkpoints.js'
import { resignedLease } from './leases.js'

const TYPE = /^\{"messageType":"alvarium\.(Lease|Checkpoint)\/1"/

/**
 * Signs a message once more, with another private key and its key id. Sets, proofs and unreadable messages stay as
 * they are.
 *
 * @param subject - signs leases, too
 */
export function signAgain(message: Uint8Array, by: Party, subject: Party): Uint8Array {
  try {
    return signKind(message, by, subject)
  } catch {
    return message
  }
}

function signKind(message: Uint8Array, by: Party, subject: Party): Uint8Array {
  const text = textOf(message)
  const [, kind] = TYPE.exec(text) ?? []
  if (kind === 'Lease') {
    const alter = ({ content }: { content: { [member: string]: unknown } }) => {
      content['issuer'] = by.keyId
      content['serial'] = toHex(signBytes(by.signingKey, message)).slice(0, 32)
    }
    return resignedLease(message, alter, [by.signingKey, subject.signingKey])
  }
  if (kind === 'Checkpoint') return signNote(text, by)
  if (!text.includes('"annotations"')) return message
  return signBundle(text, by)
}

function signNote(text: string, by: Party): Uint8Array {
  const [signed = ''] = JSON.parse(text).content.split('\n\n\u2014')
  const [origin, ...lines] = signed.split('\n') as [string, ...string[]]
  const name = `checkpoint.alvarium/1/${by.keyId}/${origin.slice(-32)}`
  const body = `${[name, ...lines].join('\n')}\n`
  return messageOf(`${body}\n${noteLine(by, name, body)}\n`)
}

function signBundle(text: string, by: Party): Uint8Array {
  const claimed = text.replace(/"signer":"[0-9a-f]{32}"/, `"signer":"${by.keyId}"`)
  const signature = toHex(signBytes(by.signingKey, identityBytes(utf8(claimed))))
  return utf8(claimed.replace(/"signature":"[0-9a-f]{128}"/, `"signature":"${signature}"`))
}
