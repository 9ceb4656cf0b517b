// In place of `worker-timers`: the SDK brings a timer of its own.
export const setInterval = globalThis.setInterval.bind(globalThis)
export const clearInterval = globalThis.clearInterval.bind(globalThis)
