/** The Verify tool: the message that is looked at, what the visitor has altered in it, and what the verifier says. */
import { batch, computed, effect, signal } from '@preact/signals'
import { type GivenKind, kindOf } from '../given-kind.ts'
import type { Check, Inspection } from '../inspection.ts'
import { keysIn, trustedIn } from '../key-list.ts'
import type { Leaf, Value } from '../panels/verify/leaves.ts'
import { type Member, membersOf, withMember } from '../panels/verify/members.ts'
import type { Trouble, Verdict } from '../protocol.ts'
import { areEqual } from '../ui/bytes.ts'
import { bytesIn, shownAs, size } from '../ui/text.ts'
import { trustedKeys } from './key.ts'
import { offer } from './offer.ts'
import { newestKey, payloadOf } from './payloads.ts'
import type { Linked } from './permalink.ts'
import { troubleIn } from './trouble.ts'
import { pickedAt, pickedVerdict, verdicts } from './verdicts.ts'
import { maker, verifier } from './workers.ts'

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
  /** Whether the visitor writes it here: it is then as it came, however it changes, until it verifies. */
  readonly isWritten?: boolean
  /** Whether this page has verified it already. */
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

const NOTHING: Loaded = { name: '', text: '', keys: '' }

/** Keys that came with a link, of which the reader has said nothing: anybody can make such a link. */
const linkedKeys = signal('')
/** Ids of those that a message has verified with. */
const strangers = signal<ReadonlySet<string>>(new Set())
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

/** True if there is something to judge. */
export const isEmpty = computed(() => text.value === '' && loaded.value.pack === undefined)

/** True if the verdict lacks a public key, or has one that cannot be read. While the verifier is being asked, it stays as it was. */
export const isKeyNeeded = signal(false)
effect(() => {
  const { value } = inspection
  if (!value && !isEmpty.value) return
  const { kind, outcome, trouble, needs = '' } = value ?? {}
  const isOfPack = kind === 'pack' && outcome === 'cannot tell' && needs.startsWith('the public keys')
  isKeyNeeded.value = isOfPack || ['SIGNER_UNKNOWN', 'KEY_INVALID'].includes(trouble?.code ?? '')
})

/** The text that {@link inspection} is about. */
const inspectedText = signal('')
/** True once the message that was loaded has verified as it came: only then is what differs from it an alteration. */
export const isComparable = signal(false)
effect(() => {
  const isAsItCame = inspectedText.value === loaded.value.text && loaded.value.text !== ''
  const { outcome, trouble } = inspection.value ?? {}
  // Of another payload, it is genuine all the same.
  if (isAsItCame && (outcome === 'holds' || trouble?.code === 'PAYLOAD_MISMATCH')) isComparable.value = true
})

/** The kind of what stands in the editor. What verified stays what it was, however it is altered. */
export const given = computed((): GivenKind => kindOf(isComparable.value ? loaded.value.text : text.value))

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

/** Puts a message into the tool, as it came. */
export function load(next: Loaded): void {
  batch(() => {
    loaded.value = next
    pickedAt.value = next.at
    pickedVerdict.value = next.at === undefined ? undefined : pickedVerdict.peek()
    isComparable.value = next.hasVerified ?? false
    offer.value = undefined
    keys.value = next.keys
    undoAll()
  })
}

/** Has the message checked against this payload, as the one that it came with. */
export function attach(own: Uint8Array<ArrayBuffer>): void {
  batch(() => {
    loaded.value = { ...loaded.peek(), payload: own }
    payload.value = own
  })
}

/** Trusts a public key beside those that messages are checked with: this page's own, if nothing else was said. */
export function trustKey(key: string): void {
  const others = keys.peek().trim() || trustedKeys.peek().join('\n')
  trust(`${others}\n${key.trim()}`.trim())
}

/** Has messages checked by what a file says: a trust policy in the place of what there was, or leases beside it. */
export function trustBy(text: string): void {
  const given = trustedIn(text)
  keys.value = given.policy === undefined ? `${keys.peek().trim()}\n${given.leases.join('\n')}`.trim() : text
}

/** Puts what a link carries into the tool. */
export function loadLinked({ message, payload, keys }: Linked): void {
  linkedKeys.value = keys
  load({ name: 'linked message', text: message, payload, keys })
}

/** The reader knows whose the keys are. */
export function vouch(): void {
  batch(() => {
    linkedKeys.value = ''
    strangers.value = new Set()
  })
}

/** Shows this one of the messages that have come. */
export function pick(verdict: Verdict): void {
  const shown = shownAs(verdict.message)
  pickedVerdict.value = verdict
  load({
    name: `message ${verdict.at}`,
    text: shown,
    payload: payloadOf(payloadKeyIn(shown)),
    keys: '',
    hasVerified: 'bundle' in verdict,
    at: verdict.at,
  })
}

/** Returns the payload key of a bundle's JSON; of any other text, an empty string. */
function payloadKeyIn(json: string): string {
  return String(membersOf(json).find(({ path }) => path === 'content.key')?.value ?? '')
}

/** Takes what the visitor writes: a message of its own where there was none, else an alteration of the one that is there. */
export function write(next: string): void {
  if (isTooLong('Message', next.length)) return
  problem.value = ''
  const { isWritten } = loaded.peek()
  if (text.peek() === '') {
    load({ ...NOTHING, name: 'your message', text: next, keys: keys.peek(), isWritten: true })
  } else if (isWritten && !isComparable.peek()) loaded.value = { ...loaded.peek(), text: next }
  text.value = next
  sent.value = undefined
}

/** Takes whom to trust, as the visitor writes it. */
export function trust(next: string): void {
  if (isTooLong('Public keys to trust', next.length)) return
  problem.value = ''
  keys.value = next
}

/** Alters a field. */
export function alter(member: Member, value: Value): void {
  write(withMember(text.peek(), member, value))
}

/** The genuine one again. */
export function undoAll(): void {
  batch(() => {
    text.value = loaded.peek().text
    payload.value = loaded.peek().payload
    sent.value = undefined
  })
}

/** Publishes the message as it is, as anybody at the broker could. */
export async function sendOn(): Promise<void> {
  const now = text.peek()
  const isStill = () => sent.peek()?.text === now
  sent.value = { text: now, isAccepted: false }
  try {
    await maker.call('send', bytesIn(now))
    if (isStill()) sent.value = { text: now, isAccepted: true }
  } catch (error) {
    if (isStill()) sent.value = { text: now, isAccepted: false, trouble: troubleIn(error) }
  }
}

/** Other panels pick by number. */
effect(() => {
  const { value } = pickedAt
  if (value === undefined || loaded.peek().at === value) return
  const verdict = verdicts.peek().find(({ at }) => at === value)
  if (verdict) pick(verdict)
})

/** A message can be verified, and picked, before its call has ended: its payload is known a moment later. */
effect(() => {
  const payload = payloadOf(newestKey.value)
  const { at, payload: has, text } = loaded.peek()
  if (payload && !has && at !== undefined && payloadKeyIn(text) === newestKey.peek()) attach(payload)
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
  const set = given.value.is === 'proof' && lastSet.value !== undefined ? bytesIn(lastSet.value) : undefined
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
