/** The check of the tool as lines for a shell: any that POSIX knows. */
import { keysIn } from '../../key-list.ts'
import { hex, utf8 } from '../../ui/text.ts'

export interface Asked {
  readonly message: Uint8Array
  readonly payload: Uint8Array | undefined
  /** As `keysIn` takes them apart. */
  readonly keys: string
}

/** Writes the keys and the payload into files, and asks the command. */
export function commandFor({ message, payload, keys }: Asked): string {
  const all = keysIn(keys)
  const files = all.map((_, at) => (all.length > 1 ? `public-${at + 1}.key` : 'public.key'))
  const options = files.map((file) => `--key ${file}`)
  if (payload) options.push('--payload payload')
  return [
    ...all.map((key, at) => `printf %s ${single(key)} > ${files[at]}`),
    ...(payload ? [`printf ${printed(payload)} > payload`] : []),
    `printf %s ${single(utf8(message) ?? hex(message))} | npx alvarium-sdk verify ${options.join(' ')}`,
  ].join('\n')
}

/** As it stands, between quotation marks. */
function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** What a terminal would act on goes byte by byte, and so does what is no text. */
function printed(payload: Uint8Array): string {
  const text = utf8(payload)
  if (text !== undefined && !/\p{Cc}/u.test(text)) return `%s ${single(text)}`
  return single(Array.from(payload, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''))
}
