// Reads a label of `Signature-Input` with its signature, and assembles the signature base (RFC 9421).

import {
  type BareItem,
  type InnerList,
  isInnerList,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers'
import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import {
  type Component,
  canonicalIdentifier,
  checkComponent,
  identifierOf,
  lineOf,
  type MessageKind,
} from './components.js'
import { dictionaryIn } from './dictionary.js'
import { assertSignable, missingHeader } from './fault.js'
import type { Fields } from './fields.js'
import type { MessageParts } from './response.js'

/** Signature parameters of RFC 9421, 2.3. */
export interface SignatureParameters {
  /** Creation time of the signature, in seconds since 1970. */
  readonly created?: number | undefined
  /** Expiry time of the signature, in seconds since 1970. */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
  readonly alg?: string | undefined
  readonly keyid?: string | undefined
  readonly tag?: string | undefined
}

export interface SignatureInput {
  readonly label: string
  readonly components: readonly Component[]
  readonly parameters: SignatureParameters
  readonly list: InnerList
}

const MAX_LABELS = 16
const MAX_COMPONENTS = 64

/** Label and tag of the signature to read, in a message that may have several (RFC 9421, 2.3). */
export interface SignatureChoice {
  readonly label?: string | undefined
  readonly tag?: string | undefined
}

/**
 * Reads the only signature input with this label and this tag. An undefined label or tag matches any value.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` if none or several match
 */
export function inputOf(fields: Fields, kind: MessageKind, { label, tag }: SignatureChoice): SignatureInput {
  const inputs = [...readLabels(fields, 'signature-input')].filter(
    ([name, member]) =>
      (label === undefined || name === label) && (tag === undefined || member[1].get('tag') === tag),
  )
  const [only, ...more] = inputs
  if (!only || more.length > 0) {
    const which = [label && `label ${quote(label)}`, tag && `tag ${quote(tag)}`].filter(Boolean).join(' and ')
    const next = only ? ': choose one by its label or tag' : ''
    throw malformed('signature-input', `one signature${which && ` with ${which}`}`, `${inputs.length}${next}`)
  }
  const [name, list] = only
  if (!isInnerList(list))
    throw malformed('signature-input', 'components in brackets', `${name} without brackets`)
  const components = list[0].map((item) => checkComponent(item, kind))
  assertComponents(components)
  return { label: name, components, parameters: parametersOf(list[1]), list }
}

function readLabels(fields: Fields, name: string) {
  if (fields.lines(name).join('') === '') throw missingHeader(name)
  const labels = dictionaryIn(fields, name)
  if (labels.size > MAX_LABELS) throw malformed(name, `at most ${MAX_LABELS} labels`, `${labels.size}`)
  return labels
}

export function signatureUnder(label: string, fields: Fields): Uint8Array {
  const [value] = readLabels(fields, 'signature').get(label) ?? []
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  throw malformed(
    'signature',
    `bytes under ${quote(label)}`,
    value === undefined ? 'no such label' : 'another value',
  )
}

/** Asserts that there are 1 to 64 different components. With none, a signature is valid for any message. */
function assertComponents(components: readonly Component[]): void {
  const { length } = components
  if (length === 0 || length > MAX_COMPONENTS) {
    throw malformed('signature-input', `1 to ${MAX_COMPONENTS} components`, `${length}`)
  }
  const known = new Set<string>()
  for (const component of components) {
    const identifier = canonicalIdentifier(component)
    if (known.has(identifier))
      throw malformed('signature-input', 'each component once', `${identifierOf(component)} twice`)
    known.add(identifier)
  }
}

/**
 * Returns the signature base (RFC 9421, 2.5). It is ASCII, because signed names and values are ASCII.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` naming a component that is missing or unreadable
 */
export function baseOf(
  { components, list }: Pick<SignatureInput, 'components' | 'list'>,
  parts: MessageParts,
): Uint8Array {
  let base = ''
  for (const component of components) {
    base += `${identifierOf(component)}: ${lineOf(component, parts)}\n`
    assertSignable(base.length)
  }
  const names = components.map(identifierOf).join(' ')
  const parameters = serializeInnerList([[], list[1]]).slice('()'.length)
  return new TextEncoder().encode(`${base}"@signature-params": (${names})${parameters}`)
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

/** Returns the bytes to sign, and a function that makes the headers from a signature. */
export function prepareSignature(
  components: readonly Component[],
  parameters: SignatureParameters,
  parts: MessageParts,
) {
  assertComponents(components)
  const items = components.map(([name, more]) => [name, more] as InnerList[0][number])
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const list: InnerList = [items, new Map(given)]
  return {
    base: baseOf({ components, list }, parts),
    headers: (label: string, signature: Uint8Array) => ({
      'Signature-Input': serializeDictionary(new Map([[label, list]])),
      Signature: serializeDictionary(new Map([[label, [new Uint8Array(signature).buffer, new Map()]]])),
    }),
  }
}
