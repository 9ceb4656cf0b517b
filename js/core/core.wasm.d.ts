/**
 * The core: in Cloudflare Workers, and other runtimes that import WebAssembly as a module, what `useCore` of
 * `alvarium-sdk/core` takes. Elsewhere its URL or path is of use.
 */
declare const core: object
export default core
