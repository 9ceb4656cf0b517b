/** State of the Verify tool: the message, the visitor's alterations, and the verifier's answer. */
import { batch, computed, effect, signal } from '@preact/signals'
import { type GivenKind, kindOf } from '../given-kind.ts'
import type { Check, Inspection } from '../inspection.ts'
import { keysIn, trustedIn } from '../key-list.ts'
import type { Leaf } from '../panels/verify/leaves.ts'
import { membersOf } from '../panels/verify/members.ts'
import type { Trouble } from '../protocol.ts'
import { areEqual } from '../ui/bytes.ts'
import { bytesIn, size } from '../ui/text.ts'
import { trustedKeys } from './key.ts'
import { troubleIn } from './trouble.ts'
import { verdicts } from './verdicts.ts'
import { verifier } from './workers.ts'

/** Original message in the tool, with the payload and keys to check it against. */
export interface Loaded {
  readonly name: string
  /** Text of the message: JSON, or bytes in hexadecimal. */
  readonly text: string
  readonly payload?: Uint8Array<ArrayBuffer> | undefined
  /** Public keys in any form; empty to use the page's keys. */
  readonly keys: string
  /** Evidence pack, which replaces the text. */
  readonly pack?: Blob | undefined
  /** True for a message that the visitor writes. Until it verifies, its text counts as the original. */
  readonly isWritten?: boolean
  /** True if this page has already verified the message. */
  readonly hasVerified?: boolean
  /** Number of the verdict, for a message that this page has received. */
  readonly at?: number
}

/** Maximum length of a message or keys, in characters or bytes. A text field cannot handle more. */
export const MAX_TEXT = 256 * 1024

/** Reason why an input was refused. */
export const problem = signal('')

/** Returns whether a text is too long for the tool. Sets {@link problem} if it is. */
export function isTooLong(name: string, length: number): boolean {
  if (length <= MAX_TEXT) return false
  problem.value = `${name}: expected at most ${size(MAX_TEXT)} in all, got ${size(length)}`
  return true
}

export const NOTHING: Loaded = { name: '', text: '', keys: '' }

/** Keys from a link that the visitor has not confirmed. Anyone can make such a link. */
export const linkedKeys = signal('')
/** Key ids of unconfirmed keys that have verified a message. */
export const strangers = signal<ReadonlySet<string>>(new Set())
export const signers = computed(() => {
  const { bundles, answers } = inspection.value ?? { bundles: [], answers: [] }
  const ids = [...bundles.slice(0, 1), ...answers].flatMap((one) => ('signer' in one ? [one.signer] : []))
  return [...new Set(ids)]
})
/** True if the check uses an unconfirmed key from a link, in any form. */
export const isStrange = computed(() => {
  if (!keys.value.trim()) return false
  const linked = new Set(keysIn(linkedKeys.value).filter((key) => !trustedKeys.value.includes(key)))
  return (
    keysIn(keys.value).some((key) => linked.has(key)) || signers.value.some((id) => strangers.value.has(id))
  )
})

export const loaded = signal<Loaded>(NOTHING)
/** Contents of the editor and of the field for keys, and the payload of the check. */
export const text = signal('')
export const keys = signal('')
export const payload = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** True if the field for keys contains a trust policy. */
export const hasPolicy = computed(() => trustedIn(keys.value).policy !== undefined)

/** True if the outcome is "cannot tell". Nothing is marked as wrong then. */
export const isUnverified = computed(() => inspection.value?.outcome === 'cannot tell')

/** Answer of the verifier; undefined while it is pending. */
export const inspection = signal<Inspection | undefined>(undefined)

/** True if there is nothing to check. */
export const isEmpty = computed(() => text.value === '' && loaded.value.pack === undefined)

/** True if the check needs a public key, or has an unreadable one. Unchanged during a check. */
export const isKeyNeeded = signal(false)
effect(() => {
  const { value } = inspection
  if (!value && !isEmpty.value) return
  const { trouble, lacksKeys = false } = value ?? {}
  isKeyNeeded.value = lacksKeys || ['SIGNER_UNKNOWN', 'KEY_INVALID'].includes(trouble?.code ?? '')
})

/** Text that {@link inspection} is about. */
const inspectedText = signal('')
/** True if the loaded message has verified unaltered. Differences count as alterations only in that case. */
export const isComparable = signal(false)
effect(() => {
  const isAsItCame = inspectedText.value === loaded.value.text && loaded.value.text !== ''
  const { outcome, trouble } = inspection.value ?? {}
  // Accept PAYLOAD_MISMATCH, too: the message is genuine, but about another payload.
  if (isAsItCame && (outcome === 'holds' || trouble?.code === 'PAYLOAD_MISMATCH')) isComparable.value = true
})

/** Kind of the text in the editor. A verified message stays a message after any alteration. */
export const textKind = computed((): GivenKind => kindOf(isComparable.value ? loaded.value.text : text.value))

/** Newest sealed set that has verified, because checking a proof needs its set. */
const lastSet = signal<string | undefined>(undefined)
effect(() => {
  const { kind, outcome } = inspection.value ?? {}
  if (kind === 'set' && outcome === 'holds') lastSet.value = text.peek()
})

/** Message that the visitor has published, and the error if publishing failed. */
export const sent = signal<
  { readonly text: string; readonly isAccepted: boolean; readonly trouble?: Trouble } | undefined
>(undefined)

export const message = computed(() => bytesIn(text.value))
/** Fields of the original message, and of the altered message. */
export const genuine = computed(() => membersOf(loaded.value.text))
export const members = computed(() => membersOf(text.value))

export const isPayloadAltered = computed(() => !areEqual(payload.value, loaded.value.payload))
export const isAltered = computed(() => text.value !== loaded.value.text || isPayloadAltered.value)

export const changed = computed(() => {
  if (!isComparable.value) return []
  const before = new Map(genuine.value.map(({ path, value }) => [path, value]))
  const altered = members.value.filter(({ path, value }) => before.get(path) !== value)
  return [...altered.map(({ name }) => name), ...(isPayloadAltered.value ? ['payload'] : [])]
})

/** Field that the error of the failed check names. */
export const suspect = computed((): Leaf | undefined => {
  const trouble = inspection.value?.trouble
  const name = trouble && suspectName(trouble)
  const member = members.value.find((one) => one.name === name)
  return member?.within ?? member
})

export const sentVerdict = computed(() => {
  const bytes = sent.value && bytesIn(sent.value.text)
  return bytes && verdicts.value.find((verdict) => areEqual(verdict.message, bytes))
})

effect(() => {
  if (isStrange.value && signers.value.some((id) => !strangers.peek().has(id))) {
    strangers.value = new Set([...strangers.peek(), ...signers.value])
  }
})

/** Milliseconds that an old verdict stays visible while the next one is pending, too short to be noticed. */
const AT_ONCE_MS = 100

let asked = 0

effect(() => {
  const { pack } = loaded.value
  const set =
    textKind.value.is === 'proof' && lastSet.value !== undefined ? bytesIn(lastSet.value) : undefined
  const check: Check = {
    message: message.value,
    keys: keys.value,
    ...(pack && { pack }),
    ...(payload.value && { payload: payload.value }),
    ...(set && { set }),
  }
  const about = text.value
  const ask = ++asked
  const show = (found?: Inspection) => {
    if (ask !== asked) return
    batch(() => {
      inspection.value = found
      inspectedText.value = about
    })
  }
  if (isEmpty.value) {
    show()
    return
  }
  // Clear the old verdict only after a delay, so that it does not flicker. A timer clears it, because a
  // crashed worker never answers.
  const late = setTimeout(show, AT_ONCE_MS)
  verifier
    .call('inspect', check)
    .catch((error) => ({ ...UNCHECKED, trouble: troubleIn(error) }))
    .then((found) => {
      clearTimeout(late)
      show(found)
    })
})

const UNCHECKED: Inspection = {
  kind: 'unknown',
  encoding: 'JSON',
  outcome: 'cannot tell',
  bundles: [],
  answers: [],
}

/** Error codes with a text that names the field. */
const NAMING = ['MESSAGE_MALFORMED', 'SIGNER_NOT_ALLOWED', 'SIGNER_EXPIRED', 'SIGNER_REVOKED']

function suspectName({ code, message }: Trouble): string | undefined {
  if (NAMING.includes(code)) return /(\w+): expected/.exec(message)?.[1]
  return { SIGNER_UNKNOWN: 'signer', SIGNATURE_INVALID: 'signature', PAYLOAD_MISMATCH: 'key' }[code]
}
