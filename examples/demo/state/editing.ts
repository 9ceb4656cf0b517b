/** Actions on the message in the Verify tool: open, alter and publish it, and set the trusted keys. */
import { batch, effect } from '@preact/signals'
import { trustedIn } from '../key-list.ts'
import type { Value } from '../panels/verify/leaves.ts'
import { haveMuchInCommon } from '../panels/verify/marked.ts'
import { type Member, membersOf, withMember } from '../panels/verify/members.ts'
import type { Verdict } from '../protocol.ts'
import { bytesIn, shownAs } from '../ui/text.ts'
import { trustedKeys } from './key.ts'
import { offer } from './offer.ts'
import { newestKey, payloadOf } from './payloads.ts'
import type { Linked } from './permalink.ts'
import {
  isComparable,
  isTooLong,
  keys,
  type Loaded,
  linkedKeys,
  loaded,
  NOTHING,
  payload,
  problem,
  sent,
  strangers,
  text,
} from './tool.ts'
import { troubleIn } from './trouble.ts'
import { pickedAt, pickedVerdict, verdicts } from './verdicts.ts'
import { maker } from './workers.ts'

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

export function attach(own: Uint8Array<ArrayBuffer>): void {
  batch(() => {
    loaded.value = { ...loaded.peek(), payload: own }
    payload.value = own
  })
}

/** Trusts one more public key, besides the keys in the field or, if it is empty, the page's keys. */
export function trustKey(key: string): void {
  const others = keys.peek().trim() || trustedKeys.peek().join('\n')
  trust(`${others}\n${key.trim()}`.trim())
}

/** Trusts the content of a file: a policy replaces the text of the field, leases are added to it. */
export function trustBy(text: string): void {
  const given = trustedIn(text)
  keys.value = given.policy === undefined ? `${keys.peek().trim()}\n${given.leases.join('\n')}`.trim() : text
}

export function loadLinked({ message, payload, keys }: Linked): void {
  linkedKeys.value = keys
  load({ name: 'linked message', text: message, payload, keys })
}

/** Marks the linked keys as known to the visitor. */
export function vouch(): void {
  batch(() => {
    linkedKeys.value = ''
    strangers.value = new Set()
  })
}

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

/** Returns the payload key of a bundle in JSON; an empty string for any other text. */
function payloadKeyIn(json: string): string {
  return String(membersOf(json).find(({ path }) => path === 'content.key')?.value ?? '')
}

/** Sets the text that the visitor writes. A text unlike the previous message is a new message. */
export function write(next: string): void {
  if (isTooLong('Message', next.length)) return
  if (text.peek() === '' || (next !== '' && !haveMuchInCommon(text.peek(), next)))
    load({ ...NOTHING, name: 'your message', text: next, keys: keys.peek(), isWritten: true })
  change(next)
}

export function change(next: string): void {
  if (isTooLong('Message', next.length)) return
  problem.value = ''
  const { isWritten } = loaded.peek()
  if (isWritten && !isComparable.peek()) loaded.value = { ...loaded.peek(), text: next }
  text.value = next
  sent.value = undefined
}

export function trust(next: string): void {
  if (isTooLong('Public keys to trust', next.length)) return
  problem.value = ''
  keys.value = next
}

export function alter(member: Member, value: Value): void {
  change(withMember(text.peek(), member, value))
}

export function undoAll(): void {
  batch(() => {
    text.value = loaded.peek().text
    payload.value = loaded.peek().payload
    sent.value = undefined
  })
}

/** Publishes the altered message, as an attacker at the broker could. */
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

/** Loads the message that another panel has selected by number. */
effect(() => {
  const { value } = pickedAt
  if (value === undefined || loaded.peek().at === value) return
  const verdict = verdicts.peek().find(({ at }) => at === value)
  if (verdict) pick(verdict)
})

/** Adds the payload when it arrives, because a message may verify before its call has ended. */
effect(() => {
  const payload = payloadOf(newestKey.value)
  const { at, payload: has, text } = loaded.peek()
  if (payload && !has && at !== undefined && payloadKeyIn(text) === newestKey.peek()) attach(payload)
})
