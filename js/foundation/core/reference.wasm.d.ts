/** The reference core for `useCore` of `alvarium-sdk/core`, without arithmetic of our own. */
declare const core: object
export default core
