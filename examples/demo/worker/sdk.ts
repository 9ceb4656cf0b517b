/**
 * The SDK as the workers see it: all of them import it from here. The page is built under the condition `alvarium-wasm`, so the core
 * is a file of its own, which `core.ts` fetches: as text in the script it would be a third heavier.
 */
export * from 'alvarium-sdk'
export { useAlgorithms, useCore } from 'alvarium-sdk/core'
