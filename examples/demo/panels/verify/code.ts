/** Writes the Verify tool's check as code to paste, with the same message, keys and payload. */
import { type Trusted, trustedIn } from '../../key-list.ts'
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

export function codeFor(place: Place, checked: Checked): string {
  if (place === 'cli') return commandFor(checked)
  const { message, payload, keys, isCbor, isClassic, kind } = checked
  const verify = isClassic ? 'verifyClassic' : kind === 'batch' ? 'verifyBatch' : 'verifyMessage'
  // Omit the payload for a batch: the reader compares `keyOf(payload)` with each bundle's key.
  const hasPayload = payload !== undefined && verify !== 'verifyBatch'
  const trusted = trustedIn(keys)
  const hasLeases = trusted.policy !== undefined && trusted.leases.length > 0
  const options = [
    'keyring',
    ...(hasLeases ? ['leases'] : []),
    ...(hasPayload ? ['payload'] : []),
    ...(isCbor ? ['codec: cbor()'] : []),
  ]
  return [
    `import { ${[verify, ...(isCbor ? ['cbor'] : [])].sort().join(', ')} } from 'alvarium-sdk'`,
    ...(trusted.policy === undefined ? [] : ["import { readTrust } from 'alvarium-sdk/trust'"]),
    '',
    `const message = ${bytes(message)}`,
    ...(hasPayload ? [`const payload = ${bytes(payload)}`] : []),
    `const keyring = ${keyringOf(trusted)}`,
    ...(hasLeases ? [`const leases = [${listed(trusted.leases, bytesOf)}]`] : []),
    '',
    `const verified = await ${verify}(message, { ${options.join(', ')} })`,
    place === 'browser'
      ? 'document.body.append(JSON.stringify(verified, undefined, 2))'
      : 'console.log(JSON.stringify(verified, undefined, 2))',
  ].join('\n')
}

/** Returns the code of a keyring. A policy gets a line break, without which `readTrust` expects a path. */
function keyringOf({ policy, keys }: Trusted): string {
  return policy === undefined ? `[${listed(keys, quoted)}]` : `await readTrust(${quoted(`${policy}\n`)})`
}

function listed(all: readonly string[], written: (one: string) => string): string {
  return all.length > 1 ? `\n${all.map((one) => `  ${written(one)},\n`).join('')}` : all.map(written).join()
}

const bytesOf = (text: string) => bytes(new TextEncoder().encode(text))

function bytes(value: Uint8Array): string {
  const text = utf8(value)
  if (text !== undefined) return `new TextEncoder().encode(${quoted(text)})`
  return `Uint8Array.of(${value.join(', ')})`
}
