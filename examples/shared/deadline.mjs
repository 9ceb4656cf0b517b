/** Limits every wait of the examples, so that none of them can hang. */

/**
 * @template T
 * @param {PromiseLike<T>} promise
 * @param {number} milliseconds
 * @param {string} what description of the expected event, for the error
 * @returns {Promise<T>}
 */
export async function within(promise, milliseconds, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${milliseconds / 1000} s`)), milliseconds)
  })
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (late)])
  } finally {
    clearTimeout(timer)
  }
}
