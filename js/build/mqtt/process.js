/** What mqtt.js and its streams want of Node's `process`. */
export default {
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  env: {},
  versions: {},
}
