import type { Bundle, Input } from './bundle.js'

/** Returns the inputs that a bundle states: its `inputs`, or the previous payload, whose key is by the bundle's own hash. */
export function madeFromOf({
  hash,
  previousKey,
  inputs,
}: Pick<Bundle, 'hash' | 'previousKey' | 'inputs'>): readonly Input[] {
  return inputs ?? (previousKey === undefined ? [] : [{ hash, key: previousKey }])
}
