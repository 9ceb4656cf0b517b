/**
 * The SDK for all workers. The page is built under the condition `alvarium-wasm`, so that the core is a separate file,
 * which `core.ts` fetches: as text in the script it would be a third larger.
 */
export * from 'alvarium-sdk'
export { useAlgorithms, useCore } from 'alvarium-sdk/core'
