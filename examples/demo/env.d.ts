/** Transport of this build (`vite.config.js`). */
declare const __TRANSPORT__: 'broker' | 'in-page'

/** URLs from the package's package.json; undefined for placeholders. */
declare const __LINKS__: { readonly repository?: string; readonly guide?: string }

/** Samples from `build/samples.mjs`, which Vite includes when it builds the page. */
declare module '#samples' {
  const samples: readonly {
    readonly name: string
    readonly text: string
    readonly keys: string
    /** Payload in hexadecimal. */
    readonly payload: string
  }[]
  export default samples
}
