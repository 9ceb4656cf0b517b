import type { Layer } from '../model/bundle.js'
import { platform } from '../platform/platform.js'

/** What stands in every bundle of a signer. */
export interface Names {
  readonly host: string
  readonly tag: string
}

/** Host and tag, as given or by default. */
export function namesOf(given: {
  readonly layer: Layer
  readonly host?: string | undefined
  readonly tag?: string | undefined
}): Names {
  const host = given.host ?? told(() => platform.hostName()) ?? ''
  return { host, tag: given.tag ?? defaultTag(given.layer, host) }
}

/** The other SDKs' rule for what annotations can be found by. */
function defaultTag(layer: Layer, host: string): string {
  if (layer === 'app') return told(() => platform.tagVariable?.()) ?? ''
  return layer === 'cicd' ? '' : host
}

/** What the platform says, unless it must not: Deno asks for leave to look, and throws without. */
function told(ask: () => string | undefined): string | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
