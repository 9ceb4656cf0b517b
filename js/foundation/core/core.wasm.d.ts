/**
 * The core for `useCore` of `alvarium-sdk/core`, in Cloudflare Workers and other runtimes that import WebAssembly as a
 * module. In other runtimes, use the file's URL or path.
 */
declare const core: object
export default core
