import type { Layer } from '../../foundation/model/bundle.js'
import { platform } from '../../foundation/platform/platform.js'

/** Host of a signer's bundles, and their tag unless a call has its own. */
export interface HostAndTag {
  readonly host: string
  readonly tag: string
}

export function hostAndTagOf(given: {
  readonly layer: Layer
  readonly host?: string | undefined
  readonly tag?: string | undefined
}): HostAndTag {
  const host = given.host ?? askPlatform(() => platform.hostName()) ?? ''
  return { host, tag: given.tag ?? defaultTag(given.layer, host) }
}

/** Returns the same default tag as the other SDKs, because applications find annotations by their tag. */
function defaultTag(layer: Layer, host: string): string {
  if (layer === 'app') return askPlatform(() => platform.tagVariable?.()) ?? ''
  return layer === 'cicd' ? '' : host
}

/** Returns a value of the platform, or undefined if Deno throws because the permission to read it is missing. */
function askPlatform(ask: () => string | undefined): string | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
