/** The check of the tool as code to be pasted: the same message, keys and payload. */
import { keysIn } from '../../key-list.ts'
import { quoted } from '../../ui/code.ts'
import { utf8 } from '../../ui/text.ts'
import { type Asked, commandFor } from './shell.ts'

export const PLACES = [
  { value: 'node', text: 'Node' },
  { value: 'browser', text: 'Browser' },
  { value: 'cli', text: 'Shell' },
] as const
export type Place = (typeof PLACES)[number]['value']

export interface Checked extends Asked {
  readonly kind: string
  readonly isCbor: boolean
  readonly isClassic: boolean
}

/** A program that says what the tool says. */
export function codeFor(place: Place, checked: Checked): string {
  if (place === 'cli') return commandFor(checked)
  const { message, payload, keys, isCbor, isClassic, kind } = checked
  const verify = isClassic ? 'verifyClassic' : kind === 'batch' ? 'verifyBatch' : 'verifyMessage'
  // Of a batch, each payload is compared with a bundle's key; see keyOf.
  const hasPayload = payload !== undefined && verify !== 'verifyBatch'
  const options = ['keyring', ...(hasPayload ? ['payload'] : []), ...(isCbor ? ['codec: cbor()'] : [])]
  return [
    `import { ${[verify, ...(isCbor ? ['cbor'] : [])].sort().join(', ')} } from 'alvarium-sdk'`,
    '',
    `const message = ${bytes(message)}`,
    ...(hasPayload ? [`const payload = ${bytes(payload)}`] : []),
    `const keyring = [${listed(keys)}]`,
    '',
    `const verified = await ${verify}(message, { ${options.join(', ')} })`,
    place === 'browser'
      ? 'document.body.append(JSON.stringify(verified, undefined, 2))'
      : 'console.log(JSON.stringify(verified, undefined, 2))',
  ].join('\n')
}

function listed(keys: string): string {
  const all = keysIn(keys)
  return all.length > 1 ? `\n${all.map((key) => `  ${quoted(key)},\n`).join('')}` : all.map(quoted).join()
}

function bytes(value: Uint8Array): string {
  const text = utf8(value)
  if (text !== undefined) return `new TextEncoder().encode(${quoted(text)})`
  return `Uint8Array.of(${value.join(', ')})`
}
