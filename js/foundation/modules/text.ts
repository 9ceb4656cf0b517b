/** A WebAssembly module as text: base64 of raw LZMA, see crate/unpack. */
export interface PackedModule {
  readonly base64: string
  /** Length of the unpacked module in bytes. */
  readonly length: number
}

const KEY = Symbol.for('alvarium-sdk.algorithms')

/**
 * Returns the text of the algorithms' module, or undefined before generated/inline.js or a script tag has loaded it.
 * The text is in a global, because a script cannot export. It is not secret.
 */
export function algorithmsText(): PackedModule | undefined {
  return (globalThis as { [KEY]?: PackedModule })[KEY]
}
