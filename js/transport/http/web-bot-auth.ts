// Implements Web Bot Auth (draft-meunier-web-bot-auth-architecture), a profile of RFC 9421.

import { parseItem } from 'structured-headers'
import { type AlvariumError, malformed, needs } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { originOf } from './agent-keys.js'
import type { Component } from './components.js'
import { dictionaryIn } from './dictionary.js'
import type { RequestParts } from './request.js'
import type { Claim } from './signed.js'

const AGENT_HEADER = 'signature-agent'
/** Maximum number of characters in a `Signature-Agent` string. */
const MAX_AGENT_LENGTH = 1024

/**
 * Asserts that the signed components name the server. Otherwise the signature would be valid for any server.
 */
export function assertNamesServer(components: readonly Component[], option: string): void {
  if (namesServer(components)) return
  throw needs(option, '@authority or @target-uri')
}

function namesServer(components: readonly Component[]): boolean {
  return components.some(([name]) => name === '@authority' || name === '@target-uri')
}

/**
 * Asserts that a signature covers the server's name and any `Signature-Agent`, and has `created` and `expires`.
 */
export function assertProfile({ components, parameters }: Claim, { fields }: RequestParts): void {
  const { created, expires } = parameters
  if (created === undefined) throw needs('created', 'the time of the signature', 'SIGNATURE_INVALID')
  if (expires === undefined)
    throw needs('expires', 'the time at which the signature expires', 'SIGNATURE_INVALID')
  if (!namesServer(components)) throw notCovered('"@authority" or "@target-uri"')
  const isNamed = fields.lines(AGENT_HEADER).length > 0
  if (isNamed && !components.some(([name]) => name === AGENT_HEADER)) throw notCovered('"signature-agent"')
}

function notCovered(component: string): AlvariumError {
  return needs('signature-input', `${component} among the signed components`, 'SIGNATURE_INVALID')
}

/**
 * Returns the agent's origin from the signed part of `Signature-Agent`.
 *
 * @throws AlvariumError `SIGNATURE_INVALID` if the signature does not cover an agent, `MESSAGE_MALFORMED` if the
 * agent is not an origin
 */
export function agentIn({ components, label }: Claim, parts: RequestParts): string {
  const signed = components.filter(([name]) => name === AGENT_HEADER)
  const component = signed.find(([, parameters]) => parameters.get('key') === label) ?? signed[0]
  const header = parts.fields.lines(AGENT_HEADER).join(', ').trim()
  if (!component || header === '')
    throw needs(
      AGENT_HEADER,
      'a value, and "signature-agent" among the signed components',
      'SIGNATURE_INVALID',
    )
  const [value, parameters] = itemIn(header, component, label, parts)
  const type = parameters.get('type')
  const isDirectory = type === undefined || String(type) === 'directory'
  const origin = isDirectory ? originOf(value) : undefined
  if (origin !== undefined) return origin
  throw malformed(AGENT_HEADER, 'the origin of an agent that has a directory of keys', quote(header))
}

/**
 * Returns the item of `Signature-Agent` that names the agent, as its value and its parameters. The header
 * is a string, or a dictionary with a member for the component's `key` or the signature's label.
 */
function itemIn(
  header: string,
  [, parameters]: Component,
  label: string | undefined,
  parts: RequestParts,
): readonly [unknown, ReadonlyMap<string, unknown>] {
  const key = parameters.get('key')
  if (key === undefined && header.startsWith('"')) return stringIn(header)
  const member = dictionaryIn(parts.fields, AGENT_HEADER).get(String(key ?? label))
  return member ?? [undefined, new Map()]
}

function stringIn(header: string): readonly [unknown, ReadonlyMap<string, unknown>] {
  try {
    if (header.length <= MAX_AGENT_LENGTH) return parseItem(header)
  } catch {
    // Invalid string: throw below.
  }
  throw malformed(AGENT_HEADER, `a string of at most ${MAX_AGENT_LENGTH} characters`, quote(header))
}
