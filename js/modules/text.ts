/** WebAssembly as text: base64 of raw LZMA, see crate/unpack. */
export interface PackedModule {
  readonly base64: string
  /** How long it is, in bytes. */
  readonly length: number
}

const KEY = Symbol.for('alvarium-sdk.algorithms')

/**
 * The algorithms' module as text, from generated/inline.js, once that has been loaded: by us, or before us by a script tag. A script
 * can export nothing, so it stands in a global of its own. It is no secret.
 */
export function algorithmsText(): PackedModule | undefined {
  return (globalThis as { [KEY]?: PackedModule })[KEY]
}
