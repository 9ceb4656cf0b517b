/**
 * SDK for all workers. The page is built with the condition `alvarium-wasm`, so that `core.ts` fetches the
 * core as a separate file. That file is a third smaller than the core as text in the script.
 */
export * from 'alvarium-sdk'
export { useAlgorithms, useCore } from 'alvarium-sdk/core'
