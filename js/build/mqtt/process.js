/** Members of Node's `process` that mqtt.js and its streams use. */
export default {
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  env: {},
  versions: {},
}
