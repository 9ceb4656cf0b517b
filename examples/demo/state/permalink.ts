/** Links with a message in the fragment, which browsers do not send to servers. */
import { bytesIn, shownAs } from '../ui/text.ts'

export interface Linked {
  readonly message: string
  readonly payload?: Uint8Array<ArrayBuffer> | undefined
  readonly keys: string
}

const PREFIX = '#v='
/** Maximum length of a fragment in characters, and of its content in bytes. A malicious link could fill memory. */
const LONGEST_FRAGMENT = 256 * 1024
const MOST_BYTES = 1024 * 1024
const TOO_LONG = 'It is too long for a link.'

/** Returns a link. @throws RangeError if the link would be too long to open */
export async function linkTo({ message, payload, keys }: Linked): Promise<string> {
  const text = JSON.stringify([message, keys, ...(payload ? [shownAs(payload)] : [])])
  const content = new Blob([text])
  if (content.size > MOST_BYTES) throw new RangeError(TOO_LONG)
  const packed = content.stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const fragment = base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  if (fragment.length + PREFIX.length > LONGEST_FRAGMENT) throw new RangeError(TOO_LONG)
  // Omit the query, because it may contain a broker URL with a password.
  return `${location.href.split(/[?#]/)[0]}${PREFIX}${fragment}`
}

export const isLink = (fragment: string): boolean => fragment.startsWith(PREFIX)

/** Reads the content of a link's fragment. @throws Error when the fragment is damaged or too long */
export async function linkedIn(fragment: string): Promise<Linked> {
  try {
    if (fragment.length > LONGEST_FRAGMENT) throw new RangeError('link: too long')
    const base64 = fragment.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/')
    const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const parts: unknown = JSON.parse(await unpacked(packed))
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
      throw new TypeError('link: no texts')
    const [message = '', keys = '', payload] = parts as string[]
    return { message, keys, ...(payload !== undefined && { payload: bytesIn(payload) }) }
  } catch (cause) {
    throw new Error('This link is damaged: part of it may be missing. It is not what is shown below.', {
      cause,
    })
  }
}

/**
 * Decompresses a fragment.
 *
 * @throws TypeError if the fragment is damaged
 * @throws RangeError if its content exceeds {@link MOST_BYTES}
 */
async function unpacked(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > MOST_BYTES) throw new RangeError(`link: expected at most ${MOST_BYTES} bytes`)
    text += decoder.decode(value, { stream: true })
  }
}
