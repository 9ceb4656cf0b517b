/**
 * The check of the tool as lines to be pasted into a shell. What they carry may come from anybody, by a link: a terminal
 * would act on its control characters before the shell sees a quotation mark, so there are none.
 */
import { keysIn } from '../../key-list.ts'
import { UNSEEN } from '../../ui/code.ts'
import { hex, utf8 } from '../../ui/text.ts'

/** Not by npx: until the package is published, that would run whatever has its name in the registry. */
const PROGRAM = 'alvarium'

export interface Asked {
  readonly message: Uint8Array
  readonly payload: Uint8Array | undefined
  /** As `keysIn` takes them apart. */
  readonly keys: string
}

/** Writes the keys and the payload into files, where nothing is written over, and asks the command. */
export function commandFor({ message, payload, keys }: Asked): string {
  const all = keysIn(keys)
  const files = all.map((_, at) => (all.length > 1 ? `public-${at + 1}.key` : 'public.key'))
  const options = files.map((file) => `--key ${file}`)
  if (payload) options.push('--payload payload')
  return [
    'cd "$(mktemp -d)"',
    ...all.map((key, at) => `printf ${lines(key)} > ${files[at]}`),
    ...(payload ? [`printf ${exactly(payload)} > payload`] : []),
    `printf ${lines(utf8(message) ?? hex(message))} | ${PROGRAM} verify ${options.join(' ')}`,
  ].join('\n')
}

/** For `printf`: a text whose lines can be read, with an end of line behind it. */
function lines(text: string): string {
  const all = text.split('\n')
  return all.some((line) => UNSEEN.test(line)) ? octal(encode(text)) : `'%s\\n' ${all.map(single).join(' ')}`
}

/** For `printf`: these bytes and no others. */
function exactly(bytes: Uint8Array): string {
  const text = utf8(bytes)
  return text === undefined || UNSEEN.test(text) ? octal(bytes) : `%s ${single(text)}`
}

/** As it stands, between quotation marks. Backslashes stand outside of them: fish takes `\'` for a mark in the text. */
function single(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "'\\$&'")}'`
}

function octal(bytes: Uint8Array): string {
  return `'${Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`
}

const encode = (text: string) => new TextEncoder().encode(text)
