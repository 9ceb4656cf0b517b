/** A promise that the test settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

export function deferred<T = void>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...(settle as unknown as Omit<Deferred<T>, 'promise'>) }
}

/** The real `setImmediate`, because the test may have stopped the clock. Browsers have none, and use a message channel. */
export const soon: (act: () => void) => void = globalThis.setImmediate ?? byMessage

function byMessage(act: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    act()
  }
  port2.postMessage(undefined)
}

/** Upper limit of the event loop turns for which a call may wait, because a call yields after some time. */
const TURNS = 8

/** Lets all due work run: promises, callbacks that wait for a turn of the event loop, and the work that they start. */
export async function quiet(): Promise<void> {
  for (let timer = 0; timer < 3; timer++) {
    await new Promise((resolve) => setTimeout(resolve))
    for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => soon(resolve))
  }
}
