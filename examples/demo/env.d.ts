/** Which of the two builds this is, see `vite.config.js`. */
declare const __TRANSPORT__: 'broker' | 'in-page'

/** Addresses of the package, out of its package.json: absent as long as these are placeholders. */
declare const __LINKS__: { readonly repository?: string; readonly guide?: string }

/** What `build/samples.mjs` gives, put together when the page is built. */
declare module '#samples' {
  const samples: readonly {
    readonly name: string
    readonly text: string
    readonly keys: string
    /** Hexadecimal. */
    readonly payload: string
  }[]
  export default samples
}
