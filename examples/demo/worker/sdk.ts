/**
 * SDK for all workers. The page is built with the condition `alvarium-wasm`, so that `core.ts` fetches the
 * core as a separate file, and the script does not contain the core as text.
 */
export * from 'alvarium-sdk'
export { useAlgorithms, useCore } from 'alvarium-sdk/core'
