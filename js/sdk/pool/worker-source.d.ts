/** Text of the compiled worker.js. js/build/bundles.mjs writes it next to that file. */
export const source: string
