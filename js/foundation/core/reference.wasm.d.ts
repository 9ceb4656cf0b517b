/** The reference core for `useCore` of `alvarium-sdk/core`, without arithmetic of our own. Load it like `core.wasm`. */
declare const core: object
export default core
