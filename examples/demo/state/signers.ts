/** Names of the signers whose keys this page has made, so that people need not compare key ids. */
import { signal } from '@preact/signals'
import { key } from './key.ts'

const names = signal<ReadonlyMap<string, string>>(new Map())

/** @param id - of the signer's key */
export function nameSigner(id: string, name: string): void {
  if (names.peek().get(id) !== name) names.value = new Map([...names.peek(), [id, name]])
}

/** Returns the name of a signer: a station of the story, or the visitor; undefined for anyone else. */
export function signerNameOf(id: string): string | undefined {
  return id === key.value?.keyId ? 'you' : names.value.get(id)
}
