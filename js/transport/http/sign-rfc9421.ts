// Signs requests, responses and key directories by RFC 9421.

import * as v from 'valibot'
import { expected } from '../../foundation/base/errors.js'
import { isEcKey } from '../../signing/keys/ec/signing-key.js'
import { invalid } from '../../signing/keys/fault.js'
import { type SigningKeyInput, signBytes } from '../../signing/keys/signing.js'
import type { Component } from './components.js'
import { contentDigest, isDigest } from './digest.js'
import type { MessageParts } from './response.js'
import { prepareSignature, type SignatureParameters } from './rfc9421.js'

/** Maximum time in seconds (in the year 5138), so that a current time in milliseconds is refused. */
const MAX_SECONDS = 99_999_999_999
export const text = v.pipe(
  v.string('a string'),
  v.regex(/^[\x20-\x7e]+$/, 'printable ASCII, as headers have nothing else'),
)
export const seconds = v.pipe(
  v.number('seconds since 1970'),
  v.integer('whole seconds since 1970, not milliseconds'),
  v.minValue(0, 'seconds since 1970'),
  v.maxValue(MAX_SECONDS, 'whole seconds since 1970, not milliseconds'),
)
export const names = <Name extends v.GenericSchema<string>>(name: Name) =>
  v.pipe(v.array(name, 'an array of names'), v.minLength(1, 'at least one name'))
/** Valibot schemas of signing options that RFC 9421 and the profile Web Bot Auth share. */
export const commonMembers = {
  body: v.optional(v.any()),
  expires: v.optional(seconds),
  nonce: v.optional(text),
  label: v.optional(
    v.pipe(v.string('a string'), v.regex(/^[a-z*][a-z0-9_.*-]*$/, 'a key of RFC 9651')),
    'sig1',
  ),
}

export const now = () => Math.floor(Date.now() / 1000)

/** Message to sign, with the components and parameters of its signature. */
export interface PlainMessage {
  readonly parts: MessageParts
  readonly components: readonly Component[]
  /** Signature parameters, in the order in which `Signature-Input` lists them. */
  readonly parameters: SignatureParameters & { readonly created: number }
  readonly label: string
  readonly body?: Uint8Array | undefined
}

/**
 * Signs a message. Adds `Content-Digest` if the signature covers that header and the message lacks it.
 *
 * @param root - name of the public function that received the options
 * @returns the headers to send
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`, `MESSAGE_MALFORMED`
 */
export async function signByRfc9421(
  { parts, components, parameters, label, body }: PlainMessage,
  signingKey: SigningKeyInput,
  root: string,
): Promise<Record<string, string>> {
  const { created, expires } = parameters
  if (expires !== undefined && expires < created) {
    const later = `a time not before created (${created})`
    throw expected('CONFIG_INVALID', `${root}.expires`, later, `${expires}`)
  }
  const digest = components.some(isDigest) ? await digestFor(parts, body) : {}
  const { base, headers } = prepareSignature(components, parameters, withHeaders(parts, digest))
  return { ...digest, ...headers(label, signatureOf(signingKey, base, root)) }
}

export function signatureOf(signingKey: SigningKeyInput, bytes: Uint8Array, root: string): Uint8Array {
  assertEd25519(signingKey, root)
  return signBytes(signingKey, bytes)
}

export function assertEd25519(signingKey: SigningKeyInput, root: string): void {
  if (!isEcKey(signingKey)) return
  throw invalid(`${root}.signingKey`, 'an Ed25519 key', 'a key of another algorithm')
}

async function digestFor(
  parts: MessageParts,
  body: Uint8Array = new Uint8Array(),
): Promise<Record<string, string>> {
  if (parts.fields.lines('content-digest').length > 0) return {}
  return { 'Content-Digest': await contentDigest(body) }
}

function withHeaders(
  parts: MessageParts,
  { 'Content-Digest': digest }: Record<string, string>,
): MessageParts {
  return digest === undefined ? parts : { ...parts, fields: parts.fields.with('content-digest', digest) }
}
