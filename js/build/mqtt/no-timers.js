// Replaces `worker-timers`: the SDK passes its own timer.
export const setInterval = globalThis.setInterval.bind(globalThis)
export const clearInterval = globalThis.clearInterval.bind(globalThis)
