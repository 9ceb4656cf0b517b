// @each-database

import { generateKey, source } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, typeError } from '../support/failure.js'
import { genuineMessages, resigned } from '../support/messages.js'
import { key, keyring, opened, yes } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'

/** Returns a message with a host, key and time, with `src` true and `no` false. */
async function messageOf(host: string, timestamp: string, signingKey = key.signingKey) {
  const no = { ...yes('no'), isSatisfied: () => false }
  const { sdk, stream } = await opened([source(), no], { host, signingKey })
  await sdk.create(utf8(host))
  await sdk.close()
  const alter = ({ content }: { content: Record<string, unknown> }) => {
    content['timestamp'] = timestamp
  }
  return resigned(stream.messages[0] as Uint8Array, alter, signingKey)
}

const at = (text: string) => Date.parse(text)

onEachDatabase((database) => {
  describe('the figures of a store for dashboards', () => {
    it('are 0 before anything is stored', async () => {
      const store = await database.open()
      expect(await store.silent()).toEqual([])
      expect(await store.answers({ from: 0 })).toEqual([])
      expect(await store.stats()).toEqual({
        bundles: 0,
        pruned: 0,
        messages: 0,
        payloads: 0,
        quarantined: new Map(),
        quarantinedBytes: 0,
        entries: 0,
      })
    })

    it('count stored messages, and quarantined messages by reason', async () => {
      const store = await database.open()
      const stranger = await messageOf('x', '2026-11-20T10:00:00.000000Z', generateKey().signingKey)
      await store.ingest([...Object.values(await genuineMessages()), stranger])
      expect(await store.stats()).toEqual({
        bundles: 4,
        pruned: 0,
        messages: 4,
        payloads: 2,
        quarantinedBytes: stranger.length,
        quarantined: new Map([['SIGNER_UNKNOWN', 1]]),
        entries: 4,
        newest: { signedAt: expect.any(Number) },
      })
    })

    // claim: store-29
    it('list the signers by the time of their last message, beginning with the longest silent', async () => {
      const other = generateKey()
      keyring.add(other.verifyingKey)
      const store = await database.open()
      const [old, late] = ['2026-11-20T10:00:00.000000Z', '2026-11-20T12:00:00.000000Z'] as const
      await store.ingest([
        await messageOf('edge-7', '2026-11-20T09:00:00.000000Z'),
        await messageOf('edge-8', late),
        // The clock of edge-9 is far ahead: its message was received before the others were signed.
        {
          message: await messageOf('edge-9', '2030-01-01T00:00:00.000000Z', other.signingKey),
          receivedAt: at(old),
        },
      ])
      const silent = await store.silent()
      expect(silent).toEqual([
        {
          signer: other.keyId,
          host: 'edge-9',
          seq: 2,
          timestamp: '2030-01-01T00:00:00.000000Z',
          receivedAt: at(old),
        },
        { signer: key.keyId, host: 'edge-8', seq: 1, timestamp: late },
      ])
      expect(await store.silent({ since: at('2026-11-20T11:00:00Z') })).toEqual(silent.slice(0, 1))
      expect(await store.silent({ limit: 1 })).toEqual(silent.slice(0, 1))
      expect(await store.silent({ since: at(old) })).toEqual([])
    })

    // claim: store-30
    it('count answers by hour, host and kind, within a time range', async () => {
      const store = await database.open()
      await store.ingest([
        await messageOf('edge-7', '2026-11-20T09:59:59.999999Z'),
        await messageOf('edge-7', '2026-11-20T10:00:00.000000Z'),
        await messageOf('edge-7', '2026-11-20T10:59:59.999999Z'),
        await messageOf('edge-8', '2026-11-20T11:00:00.000000+01:00'),
      ])
      const hour = at('2026-11-20T10:00:00Z')
      const answers = await store.answers({ from: hour, until: hour + 3_600_000 })
      expect(answers.map(({ hour: one, host, kind, yes, no }) => [one - hour, host, kind, yes, no])).toEqual([
        [0, 'edge-7', 'no', 0, 2],
        [0, 'edge-8', 'no', 0, 1],
        [0, 'edge-7', 'src', 2, 0],
        [0, 'edge-8', 'src', 1, 0],
      ])
      expect((await store.answers({ from: new Date(0) })).at(-1)).toMatchObject({ hour: hour - 3_600_000 })
    })

    it('cannot be requested for an invalid start time or limit', async () => {
      const store = await database.open()
      expect((await typeError(() => store.silent({ since: 'yesterday' as never }))).message).toContain(
        'silent.since',
      )
      expect((await typeError(() => store.answers({ from: 'now' as never }))).message).toContain(
        'answers.from',
      )
      expect(await codeOf(() => store.answers({} as never))).toBe('CONFIG_INVALID')
      expect(await codeOf(() => store.silent({ limit: 0 }))).toBe('CONFIG_INVALID')
    })
  })
})
