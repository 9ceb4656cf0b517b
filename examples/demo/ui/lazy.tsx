import { useEffect, useState } from 'preact/hooks'

export interface Lazy<T> {
  /** The module; undefined until it has loaded. */
  readonly module?: T
  /** True if the module did not load: the network is down, or the visitor leaves the page. */
  readonly isMissing?: boolean
}

/** @param load - imports the module; must be the same function on every render */
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

export const NO_CHART = <p class="quiet small">The chart’s code did not load: load the page again.</p>
