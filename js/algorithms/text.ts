/** WebAssembly as text: deflated (RFC 1951), in base64. */
export interface DeflatedModule {
  readonly base64: string
  /** How long it is, in bytes. */
  readonly length: number
}

const KEY = Symbol.for('alvarium-sdk.algorithms')

/**
 * The algorithms' module as text, from generated/inline.js, once that has been loaded: by us, or before us by a script tag. A script
 * can export nothing, so it stands in a global of its own. It is no secret.
 */
export function algorithmsText(): DeflatedModule | undefined {
  return (globalThis as { [KEY]?: DeflatedModule })[KEY]
}
