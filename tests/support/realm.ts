import { runInNewContext } from 'node:vm'

/** Returns an error that is no instance of our `Error`: in Jest, every error that Node throws is one. */
export const foreignError = (message: string): Error => runInNewContext('new Error(message)', { message })

/** Returns a copy of the bytes in a Uint8Array of another realm, which is no instance of ours, such as in jsdom. */
export const foreign = (bytes: Uint8Array): Uint8Array => runInNewContext('Uint8Array.from(bytes)', { bytes })
