/**
 * Writes the Verify tool's check as lines to paste into a shell. Anyone can supply their content by a link,
 * and a terminal acts on control characters before the shell sees a quotation mark. The lines therefore
 * contain no control characters.
 */
import { trustedIn } from '../../key-list.ts'
import { UNSEEN } from '../../ui/code.ts'
import { hex, utf8 } from '../../ui/text.ts'

/** Name of the installed command. `npx` would run any package of this name until ours is published. */
const PROGRAM = 'alvarium'

export interface Asked {
  readonly message: Uint8Array
  readonly payload: Uint8Array | undefined
  /** Trusted keys or policy, as `trustedIn` parses them. */
  readonly keys: string
}

/** Returns shell lines that first write keys and payload into new files, and then run the command. */
export function commandFor({ message, payload, keys }: Asked): string {
  const files = filesOf(keys)
  const options = files.map(({ option, file }) => `${option} ${file}`)
  if (payload) options.push('--payload payload')
  return [
    'cd "$(mktemp -d)"',
    ...files.map(({ file, text }) => `printf ${lines(text)} > ${file}`),
    ...(payload ? [`printf ${exactly(payload)} > payload`] : []),
    `printf ${lines(utf8(message) ?? hex(message))} | ${PROGRAM} verify ${options.join(' ')}`,
  ].join('\n')
}

interface File {
  readonly option: string
  readonly file: string
  readonly text: string
}

function filesOf(trusted: string): File[] {
  const { keys, policy, leases } = trustedIn(trusted)
  if (policy === undefined) {
    const nameOf = (at: number) => (keys.length > 1 ? `public-${at + 1}.key` : 'public.key')
    return keys.map((text, at) => ({ option: '--key', file: nameOf(at), text }))
  }
  const files = [{ option: '--trust', file: 'trust.yaml', text: policy }]
  if (leases.length > 0) files.push({ option: '--leases', file: 'leases.ndjson', text: leases.join('\n') })
  return files
}

/** Returns arguments of `printf` for a text. Adds a line break, except to a text with unseen characters. */
function lines(text: string): string {
  const all = text.split('\n')
  return all.some((line) => UNSEEN.test(line)) ? octal(encode(text)) : `'%s\\n' ${all.map(single).join(' ')}`
}

/** Returns arguments of `printf` for exactly these bytes. */
function exactly(bytes: Uint8Array): string {
  const text = utf8(bytes)
  return text === undefined || UNSEEN.test(text) ? octal(bytes) : `%s ${single(text)}`
}

/** Quotes a string for shells. Leaves backslashes unquoted, because fish reads `\'` as a quotation mark. */
function single(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "'\\$&'")}'`
}

function octal(bytes: Uint8Array): string {
  return `'${Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`
}

const encode = (text: string) => new TextEncoder().encode(text)
