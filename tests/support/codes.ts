/** Returns the outcome of each publish: `accepted`, or the code of its error. */
export function codes(publishes: readonly Promise<void>[]): Promise<string[]> {
  return Promise.all(
    publishes.map((publish) =>
      publish.then(
        () => 'accepted',
        (error) => error.code,
      ),
    ),
  )
}
