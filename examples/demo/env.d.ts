/** Kind of this build, see `vite.config.js`. */
declare const __TRANSPORT__: 'broker' | 'in-page'

/** Addresses from the package's package.json; absent if they are placeholders. */
declare const __LINKS__: { readonly repository?: string; readonly guide?: string }

/** Samples of `build/samples.mjs`, generated when the page is built. */
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
