/** The Verify tool: the message that is looked at, what the visitor has altered in it, and what the verifier says. */
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

/** A message as it came, and what it is to be checked against. */
export interface Loaded {
  /** What it is, for people. */
  readonly name: string
  /** JSON, or bytes in hexadecimal. */
  readonly text: string
  readonly payload?: Uint8Array<ArrayBuffer> | undefined
  /** Public keys in any form; none: those that this page has had. */
  readonly keys: string
  /** An evidence pack, in the place of a text. */
  readonly pack?: Blob | undefined
  /** True for a message that the visitor writes here: its text is the one that came until it verifies. */
  readonly isWritten?: boolean
  /** True if this page has verified it already. */
  readonly hasVerified?: boolean
  /** Of a message that has come to this page: its verdict's number. */
  readonly at?: number
}

/** Characters and bytes of the longest message, and of the longest text that says whom to trust: a field of a page is good for no more. */
export const MAX_TEXT = 256 * 1024

/** Reason why something was not opened, pasted or written. */
export const problem = signal('')

/** Returns whether a text is too long for the tool, which then says so. */
export function isTooLong(name: string, length: number): boolean {
  if (length <= MAX_TEXT) return false
  problem.value = `${name}: expected at most ${size(MAX_TEXT)} in all, got ${size(length)}`
  return true
}

export const NOTHING: Loaded = { name: '', text: '', keys: '' }

/** Keys that came with a link, of which the reader has said nothing: anybody can make such a link. */
export const linkedKeys = signal('')
/** Ids of those that a message has verified with. */
export const strangers = signal<ReadonlySet<string>>(new Set())
/** Who has signed what is looked at, as the keys say that it is checked with. */
export const signers = computed(() => {
  const { bundles, answers } = inspection.value ?? { bundles: [], answers: [] }
  const ids = [...bundles.slice(0, 1), ...answers].flatMap((one) => ('signer' in one ? [one.signer] : []))
  return [...new Set(ids)]
})
/** Whether the keys that are checked with are a stranger's, in whatever form they are written. */
export const isStrange = computed(() => {
  if (!keys.value.trim()) return false
  const linked = new Set(keysIn(linkedKeys.value).filter((key) => !trustedKeys.value.includes(key)))
  return (
    keysIn(keys.value).some((key) => linked.has(key)) || signers.value.some((id) => strangers.value.has(id))
  )
})

/** What the tool was given. */
export const loaded = signal<Loaded>(NOTHING)
/** What stands in the editor, in the field for keys, and the payload that is checked. */
export const text = signal('')
export const keys = signal('')
export const payload = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** Whether a trust policy stands in the place of keys. */
export const hasPolicy = computed(() => trustedIn(keys.value).policy !== undefined)

/** True if nothing of what is looked at was verified, or shown to be false: then nothing of it is marked as wrong. */
export const isUnverified = computed(() => inspection.value?.outcome === 'cannot tell')

/** What the verifier says: undefined while it is being asked. */
export const inspection = signal<Inspection | undefined>(undefined)

/** True if there is nothing to judge. */
export const isEmpty = computed(() => text.value === '' && loaded.value.pack === undefined)

/** True if the verdict lacks a public key, or has one that cannot be read. While the verifier is being asked, it stays as it was. */
export const isKeyNeeded = signal(false)
effect(() => {
  const { value } = inspection
  if (!value && !isEmpty.value) return
  const { trouble, lacksKeys = false } = value ?? {}
  isKeyNeeded.value = lacksKeys || ['SIGNER_UNKNOWN', 'KEY_INVALID'].includes(trouble?.code ?? '')
})

/** The text that {@link inspection} is about. */
const inspectedText = signal('')
/** True once the message that was loaded has verified as it came: only then is what differs from it an alteration. */
export const isComparable = signal(false)
effect(() => {
  const isAsItCame = inspectedText.value === loaded.value.text && loaded.value.text !== ''
  const { outcome, trouble } = inspection.value ?? {}
  // A message about another payload is genuine, too.
  if (isAsItCame && (outcome === 'holds' || trouble?.code === 'PAYLOAD_MISMATCH')) isComparable.value = true
})

/** Kind of the text in the editor. A message that verified stays one, however it is altered. */
export const textKind = computed((): GivenKind => kindOf(isComparable.value ? loaded.value.text : text.value))

/** The sealed set that verified last: proofs are about one. */
const lastSet = signal<string | undefined>(undefined)
effect(() => {
  const { kind, outcome } = inspection.value ?? {}
  if (kind === 'set' && outcome === 'holds') lastSet.value = text.peek()
})

/** The message that was sent on, and what went wrong in sending it. */
export const sent = signal<
  { readonly text: string; readonly isAccepted: boolean; readonly trouble?: Trouble } | undefined
>(undefined)

/** The bytes that are verified. */
export const message = computed(() => bytesIn(text.value))
/** The message's fields, as they came and as they are. */
export const genuine = computed(() => membersOf(loaded.value.text))
export const members = computed(() => membersOf(text.value))

export const isPayloadAltered = computed(() => !areEqual(payload.value, loaded.value.payload))
export const isAltered = computed(() => text.value !== loaded.value.text || isPayloadAltered.value)

/** Names of what is altered. */
export const changed = computed(() => {
  if (!isComparable.value) return []
  const before = new Map(genuine.value.map(({ path, value }) => [path, value]))
  const altered = members.value.filter(({ path, value }) => before.get(path) !== value)
  return [...altered.map(({ name }) => name), ...(isPayloadAltered.value ? ['payload'] : [])]
})

/** Where the check that failed points to in a message that nobody has altered here. */
export const suspect = computed((): Leaf | undefined => {
  const trouble = inspection.value?.trouble
  const name = trouble && suspectName(trouble)
  const member = members.value.find((one) => one.name === name)
  return member?.within ?? member
})

/** What the live list says of the message that was sent on. */
export const sentVerdict = computed(() => {
  const bytes = sent.value && bytesIn(sent.value.text)
  return bytes && verdicts.value.find((verdict) => areEqual(verdict.message, bytes))
})

effect(() => {
  if (isStrange.value && signers.value.some((id) => !strangers.peek().has(id))) {
    strangers.value = new Set([...strangers.peek(), ...signers.value])
  }
})

/** A verdict on what stood there before stays no longer than nobody notices; see the effect below. */
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
  // Sooner, it would flicker with each letter. A worker that has died answers never.
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
  ...{ kind: 'unknown', encoding: 'JSON', outcome: 'cannot tell' },
  ...{ bundles: [], answers: [] },
}

/** Codes whose text names the field. */
const NAMING = ['MESSAGE_MALFORMED', 'SIGNER_NOT_ALLOWED', 'SIGNER_EXPIRED', 'SIGNER_REVOKED']

function suspectName({ code, message }: Trouble): string | undefined {
  if (NAMING.includes(code)) return /(\w+): expected/.exec(message)?.[1]
  return { SIGNER_UNKNOWN: 'signer', SIGNATURE_INVALID: 'signature', PAYLOAD_MISMATCH: 'key' }[code]
}
