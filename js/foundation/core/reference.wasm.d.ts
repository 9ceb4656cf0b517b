/**
 * The reference core for `useCore` of `alvarium-sdk/core`: a core without arithmetic of our own. Use it as
 * `alvarium-sdk/core.wasm`.
 */
declare const core: object
export default core
