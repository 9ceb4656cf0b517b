/** Text of the compiled worker.js, which js/build/bundles.mjs writes. */
export const source: string
