/** The reference core, for `useCore` of `alvarium-sdk/core`: what `alvarium-sdk/core.wasm` is, see there, without arithmetic of our own. */
declare const core: object
export default core
