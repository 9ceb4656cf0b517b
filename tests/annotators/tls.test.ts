// @node-only: it uses node:events

import { once } from 'node:events'
import { type TlsSocket, tls } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened } from '../support/sdk.js'
import { notYetConnected, plainSocket, tlsPair, unansweredHandshake } from '../support/tls.js'

const payload = utf8('hello')

/** Returns the verdicts of `tls` on a socket, by a transit call, in both degrees of strictness. */
async function verdicts(socket: TlsSocket) {
  const { sdk } = await opened([tls()])
  const { sdk: lenient } = await opened([tls({ peerCertificate: 'optional' })])
  const receipts = await Promise.all([sdk, lenient].map((sdk) => sdk.transit(payload, { tls: socket })))
  const [required, optional] = receipts.map(({ bundle }) => bundle.annotations[0]?.isSatisfied)
  return { required, optional }
}

describe('the tls annotator', () => {
  describe('with a connected socket', () => {
    it("is satisfied by a client that has checked its server's certificate", async () => {
      using pair = await tlsPair({ isTrusted: true })
      expect(await verdicts(pair.client)).toEqual({ required: true, optional: true })
    })

    it('accepts a certificate that does not verify only if peerCertificate is "optional"', async () => {
      using pair = await tlsPair({ isTrusted: false })
      expect(pair.client.authorized).toBe(false)
      expect(await verdicts(pair.client)).toEqual({ required: false, optional: true })
    })

    it('accepts a server socket without a client certificate only if peerCertificate is "optional"', async () => {
      using pair = await tlsPair({ isTrusted: true })
      expect(await verdicts(pair.server)).toEqual({ required: false, optional: true })
    })
  })

  describe('with a socket that is not protected', () => {
    const never = { required: false, optional: false }

    it('is not satisfied before the socket is connected', async () => {
      using socket = notYetConnected()
      expect(await verdicts(socket.client)).toEqual(never)
    })

    it('is not satisfied before the handshake is done', async () => {
      using socket = await unansweredHandshake()
      expect(await verdicts(socket.client)).toEqual(never)
    })

    it('is not satisfied after the socket is destroyed', async () => {
      using pair = await tlsPair({ isTrusted: true })
      pair.client.destroy()
      expect(await verdicts(pair.client)).toEqual(never)
    })

    it('is not satisfied after the peer has ended the connection', async () => {
      using pair = await tlsPair({ isTrusted: true })
      pair.client.end()
      pair.server.resume()
      await once(pair.server, 'close')
      expect(await verdicts(pair.server)).toEqual(never)
    })

    // claim: annotators-13
    it("is not satisfied unless the socket's properties show an open connection after its handshake", async () => {
      const whole = { destroyed: false, readyState: 'open', authorized: true, getPeerFinished: () => payload }
      expect(await verdicts(whole)).toEqual({ required: true, optional: true })
      for (const missing of [
        { destroyed: true },
        ...['opening', 'readOnly', 'writeOnly', 'closed'].map((readyState) => ({ readyState })),
        { getPeerFinished: () => undefined },
      ])
        expect([missing, await verdicts({ ...whole, ...missing })]).toEqual([missing, never])
      for (const authorized of [false, undefined])
        expect(await verdicts({ ...whole, authorized } as TlsSocket)).toEqual({
          required: false,
          optional: true,
        })
    })

    it('is not satisfied by a plain TCP socket', async () => {
      using socket = await plainSocket()
      expect(await verdicts(socket.client)).toEqual(never)
    })

    it.each([[{}], [true], ['socket'], [null]])(
      'is not satisfied by %j in place of a socket',
      async (input) => {
        expect(await verdicts(input as unknown as TlsSocket)).toEqual(never)
      },
    )
  })

  it.each([undefined, null, 0, 1, 'yes'])(
    'is not satisfied by a socket whose property "authorized" is %j, and reports no failure',
    async (authorized) => {
      const socket = { destroyed: false, readyState: 'open', getPeerFinished: () => new Uint8Array(12) }
      const { sdk } = await opened([tls()])
      const failed = vi.fn()
      sdk.addEventListener('annotatorerror', failed)
      const { bundle } = await sdk.transit(payload, {
        tls: { ...socket, authorized } as unknown as TlsSocket,
      })
      expect(bundle.annotations).toMatchObject([{ kind: 'tls', isSatisfied: false }])
      expect(failed).not.toHaveBeenCalled()
    },
  )

  it('is not satisfied in Node when no socket is given', async () => {
    const { sdk } = await opened([tls()])
    expect((await sdk.create(payload)).bundle.annotations).toMatchObject([
      { kind: 'tls', isSatisfied: false },
    ])
  })

  // claim: annotators-2
  it('is called for create, transit and publish, and not for mutate', async () => {
    using pair = await tlsPair({ isTrusted: true })
    const { sdk } = await opened([tls(), { kind: 'other', isSatisfied: () => true }])
    const context = { tls: pair.client }
    const receipts = [
      await sdk.create(payload, context),
      await sdk.transit(payload, context),
      await sdk.publish(payload, context),
    ]
    const answers = receipts.map(({ bundle }) => bundle.annotations.map((one) => [one.kind, one.isSatisfied]))
    expect(answers).toEqual(
      Array(3).fill([
        ['tls', true],
        ['other', true],
      ]),
    )
    const { bundle } = await sdk.mutate(payload, payload, context)
    expect(bundle.annotations).toMatchObject([{ kind: 'other', isSatisfied: true }])
  })
})
