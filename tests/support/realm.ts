import { runInNewContext } from 'node:vm'

/** An error that is no instance of our `Error`: in Jest, all that Node itself throws. */
export const foreignError = (message: string): Error => runInNewContext('new Error(message)', { message })

/** A copy of the bytes in a Uint8Array of another realm, which is no instance of ours; jsdom's are such. */
export const foreign = (bytes: Uint8Array): Uint8Array => runInNewContext('Uint8Array.from(bytes)', { bytes })
