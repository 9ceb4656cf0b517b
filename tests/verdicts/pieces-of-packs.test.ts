import { keyOf, verifyMessage } from 'alvarium-sdk'
import {
  bundlesName,
  type MakePackOptions,
  type PackSubject,
  type VerifiedPack,
  verifyPack,
} from 'alvarium-sdk/packs'
import { proveMember, sealSet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { it } from 'vitest'
import { bundleBy, type Party } from '../support/by-hand.js'
import { about, packed, payload } from '../support/packs.js'
import { checkPieces } from '../support/pieces.js'
import { at, device, issuer, logOf, policyOf, RUN, stranger, trusting } from './evidence.js'

// A pack is whole with all of its evidence, but not with any one piece of it changed.

/** Contents of a pack, and the public keys of its reader. */
interface PackEvidence extends Pick<MakePackOptions, 'checkpoints' | 'sets' | 'proofs'> {
  readonly messages: readonly Uint8Array[]
  readonly trusted: readonly Uint8Array[]
}

/** Packs evidence about a subject, and verifies the pack by a policy in which every signer may confirm. */
async function wholeness(
  { messages, trusted, ...options }: PackEvidence,
  subject: PackSubject,
): Promise<VerifiedPack> {
  const trust = policyOf([device, issuer].map(({ verifyingKey }) => verifyingKey))
  const { bytes } = await packed(messages ?? [], { ...options, about: subject, trust })
  const keyring = await readTrust(policyOf(trusted))
  try {
    return await verifyPack(bytes, { keyring })
  } finally {
    await keyring.close()
  }
}

const readingOf = (host: string) => bundleBy(device, { payload: 'a reading', timestamp: at(1), host }).message

async function sealOf(host: string, party: Party): Promise<PackEvidence> {
  const message = readingOf(host)
  const { id } = await verifyMessage(message, { keyring: trusting() })
  const name = bundlesName(about.payload) as string
  const set = await sealSet([id], { signingKey: issuer.signingKey, name })
  return { messages: [message], sets: [set.message], trusted: [...trusting(), ...trusting(party)] }
}

const setOf = (name: string) =>
  sealSet([payload], { signingKey: issuer.signingKey, name, at: new Date(at(1)) })

async function proofsOf(host: string, name: string, party: Party): Promise<PackEvidence> {
  const { message, set, list } = await setOf(name)
  const proofs = [{ set: set.id, key: keyOf(payload), proof: proveMember(list, payload) }]
  return {
    messages: [readingOf(host)],
    sets: [message],
    proofs,
    trusted: [...trusting(), ...trusting(party)],
  }
}

function logPack(name: string, end: number, party: Party): PackEvidence {
  const { notes: checkpoints, messages } = logOf(name, end)
  return { messages, checkpoints, trusted: trusting(party) }
}

interface Row {
  readonly word: string
  readonly subject: () => Promise<PackSubject>
  readonly cases: () => Promise<readonly [PackEvidence, PackEvidence]>
  readonly holdsAfter: readonly string[]
}

const ROWS: readonly Row[] = [
  {
    word: 'whole by log',
    subject: async () => ({ log: { signer: device.keyId, run: RUN, from: 0, until: 4 } }),
    cases: async () => [logPack('a', 6, device), logPack('b', 7, stranger)],
    holdsAfter: [],
  },
  {
    word: 'whole by seal',
    subject: async () => about,
    cases: async () => [await sealOf('edge-7', issuer), await sealOf('edge-8', stranger)],
    holdsAfter: [],
  },
  {
    word: 'whole by proofs',
    subject: async () => ({ set: (await setOf('one')).set.id }),
    cases: async () => [await proofsOf('edge-7', 'one', issuer), await proofsOf('edge-8', 'other', stranger)],
    // The other case's message is about the same payload.
    holdsAfter: ['messages of another'],
  },
]

it.each(ROWS)('a pack that is "$word" needs each piece of its evidence', async (row) => {
  const { word, subject, cases, holdsAfter } = row
  const asked = await subject()
  await checkPieces({
    cases,
    holdsAfter,
    isDeep: false,
    verdict: async (evidence) => {
      const { outcome, says, needs, verdict } = await wholeness(evidence, asked)
      const isWhole = outcome === 'holds' && verdict.whole.word === word
      return isWhole ? { holds: [says, evidence.messages] } : { reason: `${says} ${needs}` }
    },
    reasons: { messages: /./, checkpoints: /./, sets: /./, proofs: /./, trusted: /./ },
  })
})
