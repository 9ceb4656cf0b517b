// `alvarium-sdk/slim`: everything but the core, which the application loads.

export { useCore } from '../core/use-core.js'
export * from '../index.js'
