// HTTP Message Signatures, RFC 9421: one label of `Signature-Input`, with its signature, and the bytes that it signs.

import {
  type BareItem,
  type InnerList,
  isInnerList,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers'
import { type Component, checked, identifierOf, lineOf } from './components.js'
import { dictionaryOf } from './dictionary.js'
import { malformed, quoted } from './fault.js'
import type { RequestParts } from './request.js'

/** The parameters of a signature (RFC 9421, 2.3), as far as they are known here. */
export interface SignatureParameters {
  /** When it was made, in seconds since 1970. */
  readonly created?: number | undefined
  /** When it ends, in seconds since 1970. */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
  readonly alg?: string | undefined
  readonly keyid?: string | undefined
  readonly tag?: string | undefined
}

/** One label of a request. */
export interface LabelledSignature {
  readonly label: string
  readonly components: readonly Component[]
  readonly parameters: SignatureParameters
  readonly base: Uint8Array
  readonly signature: Uint8Array
}

const LONGEST_INPUT = 8192
const MOST_LABELS = 16
const MOST_COMPONENTS = 64

/**
 * The signature with that label, or the only one; with a tag, among those that have it.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function signatureOf(
  parts: RequestParts,
  { label, tag }: { label?: string | undefined; tag?: string | undefined },
): LabelledSignature {
  const inputs = [...read(parts, 'signature-input')].filter(
    ([name, member]) =>
      (label === undefined || name === label) && (tag === undefined || member[1].get('tag') === tag),
  )
  const [only, ...more] = inputs
  if (!only || more.length > 0) {
    const which = [label && `label ${quoted(label)}`, tag && `tag ${quoted(tag)}`]
      .filter(Boolean)
      .join(' and ')
    const expected = `one signature${which && ` with ${which}`}; where there are several, name one by label or tag`
    throw malformed('signature-input', expected, `${inputs.length}`)
  }
  const [name, member] = only
  if (!isInnerList(member))
    throw malformed('signature-input', 'components in brackets', `${name} without any`)
  return { label: name, ...readInput(member, parts), signature: bytesOf(parts, name) }
}

function read(parts: RequestParts, name: string) {
  const text = parts.lines(name).join(', ')
  if (text === '') throw malformed(name, 'this header', 'none')
  if (text.length > LONGEST_INPUT) {
    throw malformed(name, `at most ${LONGEST_INPUT} characters`, `${text.length}`)
  }
  const labels = dictionaryOf(name, text)
  if (labels.size > MOST_LABELS) throw malformed(name, `at most ${MOST_LABELS} labels`, `${labels.size}`)
  return labels
}

function bytesOf(parts: RequestParts, label: string): Uint8Array {
  const [value] = read(parts, 'signature').get(label) ?? []
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  throw malformed(
    'signature',
    `bytes under ${quoted(label)}`,
    value === undefined ? 'none' : 'something else',
  )
}

function readInput(input: InnerList, parts: RequestParts) {
  const components = input[0].map(checked)
  assertSound(components.map(identifierOf))
  return { components, parameters: parametersOf(input[1]), base: baseOf(components, input, parts) }
}

/** A signature over nothing of a request would go with every request. */
function assertSound(identifiers: readonly string[]): void {
  const { length } = identifiers
  if (length === 0 || length > MOST_COMPONENTS) {
    throw malformed('signature-input', `1 to ${MOST_COMPONENTS} components`, `${length}`)
  }
  const twice = identifiers.find((one, at) => identifiers.indexOf(one) !== at)
  if (twice !== undefined) throw malformed('signature-input', `${twice} once`, 'it twice')
}

/** The signature base (RFC 9421, 2.5). All of it is ASCII: headers with other characters are refused. */
function baseOf(components: readonly Component[], input: InnerList, parts: RequestParts): Uint8Array {
  const lines = components.map((component) => `${identifierOf(component)}: ${lineOf(component, parts)}\n`)
  return new TextEncoder().encode(`${lines.join('')}"@signature-params": ${serializeInnerList(input)}`)
}

function parametersOf(given: ReadonlyMap<string, BareItem>): SignatureParameters {
  const found = Object.fromEntries(given) as Record<string, BareItem>
  for (const name of ['created', 'expires']) {
    if (found[name] === undefined || Number.isInteger(found[name])) continue
    throw malformed('signature-input', `${name} in whole seconds`, typeof found[name])
  }
  for (const name of ['nonce', 'alg', 'keyid', 'tag']) {
    if (found[name] === undefined || typeof found[name] === 'string') continue
    throw malformed('signature-input', `${name} as a string`, typeof found[name])
  }
  return found as SignatureParameters
}

/**
 * What is to be signed, and the headers that say so once there is a signature.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function unsigned(
  components: readonly Component[],
  parameters: SignatureParameters,
  parts: RequestParts,
) {
  assertSound(components.map(identifierOf))
  const items = components.map(([name, more]) => [name, more] as InnerList[0][number])
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const input: InnerList = [items, new Map(given)]
  return {
    base: baseOf(components, input, parts),
    headers: (label: string, signature: Uint8Array) => ({
      'Signature-Input': serializeDictionary(new Map([[label, input]])),
      Signature: serializeDictionary(new Map([[label, [new Uint8Array(signature).buffer, new Map()]]])),
    }),
  }
}
