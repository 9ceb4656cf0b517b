/** A channel of `node:diagnostics_channel`, as far as we use it. */
export interface Channel<Message> {
  /** Whether anybody listens: nothing is put together for nobody. */
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

/** Telling whoever listens in this process, implemented by diagnostics-node.ts and diagnostics-none.ts behind `#diagnostics`. */
export interface Diagnostics {
  /** The channel of that name, the same one for everybody. */
  channel<Message>(name: string): Channel<Message>
}
