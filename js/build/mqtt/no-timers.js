// Replaces `worker-timers`, because the SDK passes its own timer to mqtt.js.
export const setInterval = globalThis.setInterval.bind(globalThis)
export const clearInterval = globalThis.clearInterval.bind(globalThis)
