import { useEffect, useState } from 'preact/hooks'

/** A module that comes when it is wanted. */
export interface Lazy<T> {
  /** Undefined until it is there. */
  readonly module?: T
  /** It did not come: the network is away, or the page is being left. */
  readonly isMissing?: boolean
}

/** @param load - imports it; the same function each time */
export function useLazy<T>(load: () => Promise<T>): Lazy<T> {
  const [lazy, set] = useState<Lazy<T>>({})
  useEffect(() => {
    let isGone = false
    load()
      .then(
        (module) => ({ module }),
        () => ({ isMissing: true }),
      )
      .then((found) => {
        if (!isGone) set(found)
      })
    return () => {
      isGone = true
    }
  }, [load])
  return lazy
}

/** In place of a chart whose code is missing. */
export const NO_CHART = <p class="quiet small">The chart’s code did not load: load the page again.</p>
