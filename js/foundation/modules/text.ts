/** A compressed WebAssembly module: base64 of raw LZMA (see crate/unpack). */
export interface PackedModule {
  readonly base64: string
  /** Length of the unpacked module in bytes. */
  readonly length: number
}

const KEY = Symbol.for('alvarium-sdk.algorithms')

/**
 * Returns the compressed module of ECDSA and SM2, or undefined before generated/inline.js or a script tag has loaded
 * it. It is in a global variable, because a classic script cannot export. It is not secret.
 */
export function algorithmsText(): PackedModule | undefined {
  return (globalThis as { [KEY]?: PackedModule })[KEY]
}
