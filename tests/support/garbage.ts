import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects what nobody holds, now. Of Node alone. */
export const collectGarbage = runInNewContext('gc') as () => void
