import { AlvariumError } from 'alvarium-sdk'

/** Returns the AlvariumError of `act`; any other outcome, success included, fails the test. */
export async function failure(act: () => unknown): Promise<AlvariumError> {
  try {
    await act()
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
  throw new Error('expected an AlvariumError, got success')
}

export async function codeOf(act: () => unknown): Promise<string> {
  return (await failure(act)).code
}

/** Returns the TypeError of `act`; any other outcome fails the test. */
export async function typeError(act: () => unknown): Promise<TypeError> {
  try {
    await act()
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
  throw new Error('expected a TypeError, got success')
}
