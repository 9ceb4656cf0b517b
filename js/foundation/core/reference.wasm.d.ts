/**
 * The reference core for `useCore` of `alvarium-sdk/core`: a core that contains no arithmetic of our own. Load it like
 * `alvarium-sdk/core.wasm`.
 */
declare const core: object
export default core
