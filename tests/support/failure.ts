import { AlvariumError } from 'alvarium-sdk'

/** The AlvariumError that `act` ends with; anything else, success included, fails the test. */
export async function failure(act: () => unknown): Promise<AlvariumError> {
  try {
    await act()
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
  throw new Error('expected an AlvariumError, got success')
}

/** The code of the AlvariumError that `act` ends with. */
export async function codeOf(act: () => unknown): Promise<string> {
  return (await failure(act)).code
}

/** The TypeError that `act` ends with; anything else fails the test. */
export async function typeError(act: () => unknown): Promise<TypeError> {
  try {
    await act()
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
  throw new Error('expected a TypeError, got success')
}
