/** Names of signers by key id, for the keys that this page has made. */
import { signal } from '@preact/signals'
import { key } from './key.ts'

const names = signal<ReadonlyMap<string, string>>(new Map())

/** @param id - key id of the signer */
export function nameSigner(id: string, name: string): void {
  if (names.peek().get(id) !== name) names.value = new Map([...names.peek(), [id, name]])
}

/** Returns the name of a signer: a station of the example, or `you`; undefined for any other signer. */
export function signerNameOf(id: string): string | undefined {
  return id === key.value?.keyId ? 'you' : names.value.get(id)
}
