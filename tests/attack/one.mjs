// Runs one attack in its own process, so that the peak of memory is that of the attack. Started by main.mjs.

import { algorithms } from './algorithms.mjs'
import { audit } from './audit.mjs'
import { brokers } from './brokers.mjs'
import { leftOut } from './completeness.mjs'
import { costs } from './costs.mjs'
import { csv } from './csv.mjs'
import { http } from './http.mjs'
import { inputs } from './inputs.mjs'
import { leases } from './leases.mjs'
import { messages } from './messages.mjs'
import { operator } from './operator.mjs'
import { outputs } from './outputs.mjs'
import { overreach } from './overreach.mjs'
import { packs } from './packs.mjs'
import { policies } from './policies.mjs'
import { records } from './records.mjs'
import { sets } from './sets.mjs'
import { shells } from './shells.mjs'
import { signatures } from './signatures.mjs'
import { verdicts } from './verdicts.mjs'
import { waiting } from './waiting.mjs'
import { witnesses } from './witnesses.mjs'

/** Attacks the reference core in the same way. @type {typeof signatures} */
async function reference(options) {
  await import('alvarium-sdk/reference')
  return signatures(options)
}

const ATTACKS = {
  signatures,
  reference,
  algorithms,
  messages,
  policies,
  leases,
  overreach,
  waiting,
  completeness: leftOut,
  http,
  csv,
  records,
  sets,
  inputs,
  packs,
  witnesses,
  operator,
  costs,
  verdicts,
  outputs,
  audit,
  shells,
  brokers,
}

const [name, seed, count] = process.argv.slice(2)
const report = await ATTACKS[name]({ seed: Number(seed), count: Number(count) })
process.send({ report })
process.disconnect()
