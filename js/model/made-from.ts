import type { Bundle, Input } from './bundle.js'

/** All that a bundle says its payload was made from: its inputs, or the previous payload, which is by the bundle's own hash. */
export function madeFromOf({
  hash,
  previousKey,
  inputs,
}: Pick<Bundle, 'hash' | 'previousKey' | 'inputs'>): readonly Input[] {
  return inputs ?? (previousKey === undefined ? [] : [{ hash, key: previousKey }])
}
