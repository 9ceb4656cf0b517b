// Acts of an operator who has the private key of a store's log.

import { verifyLogProof } from 'alvarium-sdk/store'
import { verifyWitnessed } from 'alvarium-sdk/witness'
import { newestOf } from './operator-reads.mjs'

const vkeysOf = (witnesses) => witnesses.map(({ vkey }) => vkey)

/** Acts by name. Each returns whether the reader has found it. */
export const STORE_ACTS = {
  'nothing to the log of the store': async (random, { store, storeNotes, witnesses }) => {
    const { note, size } = storeNotes.at(-1)
    const id = random.pick(storeNotes.ids)
    const proof = store.proof(storeNotes.ids.indexOf(id), note, size)
    const options = { id, vkey: store.signer.vkey, witnesses: vkeysOf(witnesses), quorum: 2 }
    return (
      verifyLogProof(proof, options).witnessed.outcome === 'holds' &&
      (await newestOf(witnesses, note)) === `cosigned ${size}`
    )
  },

  'forks the log of the store': async (random, { store, storeNotes, witnesses, liar }) => {
    const { note, size } = storeNotes.at(-1)
    const fork = store.fork(random.below(size)).grow(1, 'other')
    fork.grow(size - fork.leaves.length)
    const forked = fork.noteAt() + liar.line(fork.textAt(), storeNotes.at(-1).time)
    const options = { vkey: store.signer.vkey, witnesses: vkeysOf(witnesses), quorum: 2 }
    const { faults } = verifyWitnessed([note, forked], options)
    const isNamed = faults.some((fault) => fault.startsWith(`the log has two roots at size ${size}: `))
    const isAlone = verifyWitnessed(forked, options).verdict === 'unwitnessed'
    return isNamed && isAlone && (await newestOf(witnesses, fork.noteAt())) === `forked ${size}`
  },

  'backdates a row of the store': async (random, { store, storeNotes, witnesses, liar }) => {
    const [early, last] = [storeNotes[0], storeNotes.at(-1)]
    const at = early.size + random.below(last.size - early.size)
    const id = storeNotes.ids[at]
    const options = { id, vkey: store.signer.vkey, witnesses: vkeysOf(witnesses), quorum: 2 }
    const { witnessed } = verifyLogProof(store.proof(at, last.note, last.size), options)
    const isLater = Date.parse(witnessed.by) / 1000 > early.time
    const other = store.fork(early.size - 1)
    other.addEntry(Buffer.from(id, 'hex'))
    const note = other.noteAt() + liar.line(other.textAt(), early.time)
    return (
      isLater &&
      codeOf(() => verifyLogProof(other.proof(early.size - 1, note), options)) === 'WITNESSES_MISSING'
    )
  },

  'drops a row of the store': async (random, { store, storeNotes, witnesses }) => {
    const { size } = storeNotes.at(-1)
    const other = store.fork(random.below(size))
    other.leaves.push(...store.leaves.slice(other.leaves.length + 1, size))
    return (await newestOf(witnesses, other.noteAt())) === `ahead ${size}`
  },

  'cuts the tail of the store': async (random, { storeNotes, witnesses }) => {
    const { note } = random.pick(storeNotes.slice(0, -1))
    return (await newestOf(witnesses, note)) === `ahead ${storeNotes.at(-1).size}`
  },
}

function codeOf(run) {
  try {
    run()
    return 'verified'
  } catch (error) {
    return error.code
  }
}
