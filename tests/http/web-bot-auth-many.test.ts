// @slow: 2,000 requests, signed and verified by two packages

import { jwkThumbprint, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { expect, it } from 'vitest'
import {
  ALTERATIONS,
  type BotRequest,
  botRequest,
  isAcceptedByNpm,
  makeBotKey,
  signByNpm,
} from '../support/web-bot-auth.js'

const COUNT = 1000
const key = makeBotKey()
const keys = { [jwkThumbprint(key.verifyingKey)]: key.verifyingKey }
const agent = (number: number) => `https://bot-${number}.example`

const isAcceptedHere = (request: BotRequest): Promise<boolean> =>
  verifyRequest(request, { profile: 'web-bot-auth', keys }).then(
    () => true,
    () => false,
  )

const alterRequest = (request: BotRequest, at: number): BotRequest => {
  const alter = ALTERATIONS[at % ALTERATIONS.length] as (typeof ALTERATIONS)[number]
  const other = alter(request)
  expect(other).not.toEqual(request)
  return other
}

/** Returns how many of these requests are accepted, and how many after an alteration. */
async function countsOf(requests: readonly BotRequest[], accepts: (request: BotRequest) => Promise<boolean>) {
  const counts = { genuine: 0, altered: 0 }
  for (const [at, request] of requests.entries()) {
    counts.genuine += Number(await accepts(request))
    counts.altered += Number(await accepts(alterRequest(request, at)))
  }
  return counts
}

// claim: works-with-2
it('npm web-bot-auth accepts 1,000 requests of signRequest, and refuses each after an alteration', async () => {
  const requests = Array.from({ length: COUNT }, (_, at) => botRequest(at))
  const signed = await Promise.all(
    requests.map(async (request, at) => {
      const signing = {
        profile: 'web-bot-auth',
        signingKey: key.signingKey,
        signatureAgent: agent(at),
      } as const
      return { ...request, headers: await signRequest(request, signing) }
    }),
  )
  const counts = await countsOf(signed, (request) => isAcceptedByNpm(request, key))
  expect(counts).toEqual({ genuine: COUNT, altered: 0 })
})

it('verifyRequest accepts 1,000 requests of npm web-bot-auth, and refuses each after an alteration', async () => {
  const requests = Array.from({ length: COUNT }, (_, at) => ({
    ...botRequest(at),
    headers: { 'Signature-Agent': `"${agent(at)}"` },
  }))
  const signed = await Promise.all(requests.map((request) => signByNpm(request, key)))
  expect(await countsOf(signed, isAcceptedHere)).toEqual({ genuine: COUNT, altered: 0 })
})
