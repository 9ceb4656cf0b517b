/** The text of the compiled worker.js, which js/build/worker.mjs writes beside it. */
export const source: string
