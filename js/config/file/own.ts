import { expected } from '../../base/errors.js'

/** What somebody's own function makes of a part of the config. @throws AlvariumError `CONFIG_INVALID` naming the part, whatever it throws */
export async function madeBy<Made>(part: string, make: () => Made | PromiseLike<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw expected('CONFIG_INVALID', part, 'your own function to make it', undefined, cause)
  }
}
