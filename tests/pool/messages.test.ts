import { describe, expect, it } from 'vitest'
// What goes to a pool's workers is written here, and read there, where no test can see it.
import { MESSAGES, type Verifiable, verifiablesIn } from '../../dist/pool/messages.js'
import type { VerifyRequest } from '../../dist/pool/protocol.js'
import { utf8 } from '../support/bytes.js'

const verifiable = (message: string, payload?: string): Verifiable => ({
  message: utf8(message),
  payload: payload === undefined ? undefined : utf8(payload),
})
const ALL = [verifiable('a'), verifiable('b', 'its payload'), verifiable('', ''), verifiable('c')]

function packed(...items: readonly Verifiable[]) {
  const contents = MESSAGES.empty(0)
  for (const item of items) contents.add(item)
  return contents
}

const read = (contents: ReturnType<typeof MESSAGES.empty>) =>
  verifiablesIn(contents.post(1, 1).request as VerifyRequest)

describe('a group of messages', () => {
  it('is read as it was written, each with its payload, be it empty, or without one', () => {
    expect(read(packed(...ALL))).toEqual(ALL)
  })

  it('is split into its messages', () => {
    expect(
      packed(...ALL)
        .apiece()
        .map((one) => one && read(one)),
    ).toEqual(ALL.map((one) => [one]))
  })

  it('has room for 48, and for 134,016 bytes; a longer one has a group of its own', () => {
    const most = 134_016
    expect([MESSAGES.empty(0).hasRoom(most), MESSAGES.empty(0).hasRoom(most + 1)]).toEqual([true, false])
    const full = packed(...Array<Verifiable>(47).fill(verifiable('')))
    expect(full.hasRoom(0)).toBe(true)
    full.add(verifiable(''))
    expect(full.hasRoom(0)).toBe(false)
    const message = new Uint8Array(200_000).fill(1)
    const alone = MESSAGES.empty(message.length)
    alone.add({ message, payload: undefined })
    expect(alone.hasRoom(1)).toBe(false)
    expect(read(alone)).toEqual([{ message, payload: undefined }])
  })
})
