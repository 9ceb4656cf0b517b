import { malformed, needs } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { type Component, isOfRequest, parseComponent } from './components.js'
import { dictionaryIn } from './dictionary.js'
import type { RequestParts } from './request.js'
import type { ResponseParts } from './response.js'

/** Components that a signature must cover so that no part of the request target or body is unsigned. */
export const WHOLE_REQUEST = ['@method', '@authority', '@path', '@query', 'content-digest'] as const

interface CoverageOptions {
  readonly components?: readonly string[] | undefined
  readonly requestLabel?: string | undefined
}

/**
 * Returns the components that the signature of a response covers, or must cover. By default, these are
 * components of the response and of the answered request.
 *
 * @param root - name of the public function that received the options
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `MESSAGE_MALFORMED` if the request has several
 * signatures and `requestLabel` selects none
 */
export function coverageOf(
  { request }: ResponseParts,
  { components, requestLabel }: CoverageOptions,
  root: string,
): Component[] {
  const names = components ?? ['@status', 'content-digest', ...requestComponents(request, requestLabel)]
  const parsed = names.map((name) => parseComponent(name, `${root}.components`, 'response'))
  assertBound(request, parsed.some(isOfRequest), root)
  if (request || requestLabel === undefined) return parsed
  throw needs(`${root}.request`, 'the request whose signature requestLabel chooses')
}

/** Asserts that components name parts of the answered request if, and only if, that request is given. */
function assertBound(request: RequestParts | undefined, isBound: boolean, root: string): void {
  if (request && !isBound) {
    throw needs(
      `${root}.components`,
      'a component of the request, such as "@method";req, because the option request is given',
    )
  }
  if (!request && isBound)
    throw needs(`${root}.request`, 'the request, because components has a component of it')
}

function requestComponents(request: RequestParts | undefined, label: string | undefined): string[] {
  if (!request) return []
  const derived = ['@method', '@authority', '@path', '@query'].map((name) => `"${name}";req`)
  const hasDigest = request.fields.lines('content-digest').length > 0
  const labels = label === undefined ? labelsOf(request) : [label]
  if (labels.length > 1) {
    const one = 'one signature of the request, or requestLabel to choose one'
    throw malformed('signature', one, `${labels.length}`)
  }
  const signatures = labels.map((one) => `"signature";req;key=${JSON.stringify(one)}`)
  return [...derived, ...(hasDigest ? ['"content-digest";req'] : []), ...signatures]
}

function labelsOf({ fields }: RequestParts): string[] {
  if (fields.lines('signature').length === 0) return []
  const signatures = [...dictionaryIn(fields, 'signature')]
  const other = signatures.find(([, [value]]) => !(value instanceof ArrayBuffer))
  if (!other) return signatures.map(([label]) => label)
  throw malformed('signature', 'only signatures of RFC 9421 (or set the option components)', quote(other[0]))
}
