/** The text of the compiled worker.js, which js/build/bundles.mjs writes beside it. */
export const source: string
