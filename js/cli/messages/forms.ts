import { cbor } from 'alvarium-sdk/verify'
import { AlvariumError, malformed } from '../../foundation/base/errors.js'
import { beginOf } from '../../foundation/base/text/text.js'
import { isDeadLetter, openDeadLetter } from '../../verifying/consume/dead-letter.js'
import { type FoundMessage, NoMessage } from './found.js'

/** Returns a message as JSON bytes. Decodes CBOR, which may be written in hexadecimal or base64. */
export function messageIn(bytes: Uint8Array): FoundMessage['message'] {
  if (isCbor(bytes)) return decodeCbor(bytes)
  if (bytes[beginOf(bytes)] === BRACE) return bytes
  const binary = fromText(Buffer.from(bytes).toString('latin1').trim())
  return binary ? decodeCbor(binary) : new NoMessage()
}

/** Decodes hexadecimal or base64 text; returns undefined unless the result looks like CBOR. */
function fromText(text: string): Uint8Array | undefined {
  const isHex = text.length % 2 === 0 && /^[\da-f]+$/i.test(text)
  if (!isHex && !/^[\w+/-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64')
  return isCbor(bytes) ? bytes : undefined
}

function decodeCbor(bytes: Uint8Array): FoundMessage['message'] {
  try {
    return cbor().decode(bytes)
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED') return error
    throw error
  }
}

/** Returns whether bytes begin with a CBOR map (RFC 8949 §3.1, major type 5). UTF-8 text never does. */
export function isCbor(bytes: Uint8Array): boolean {
  const [first = 0] = bytes
  return first >= 0xa0 && first <= 0xbf
}

const BRACE = 0x7b

/**
 * Replaces a dead letter by the message in it. Ignores the letter's time of receipt, which is not signed: a
 * backdated letter would let a stolen, revoked key sign again.
 */
export function openLetter(found: FoundMessage): FoundMessage {
  const { message } = found
  if (message instanceof AlvariumError || !isDeadLetter(message)) return found
  return { ...found, message: messageInLetter(message) }
}

function messageInLetter(letter: Uint8Array): FoundMessage['message'] {
  try {
    const { message, size } = openDeadLetter(letter)
    return message
      ? messageIn(message)
      : malformed(
          'dead letter',
          'a dead letter with its message',
          `only the size of the message, ${size} bytes`,
        )
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
}
