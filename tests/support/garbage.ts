import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage now. Works in Node only. */
export const collectGarbage = runInNewContext('gc') as () => void
