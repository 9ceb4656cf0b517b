// Fills a store of any size in SQL. Its bundles are not signed, because queries verify no signatures.

import { createHash } from 'node:crypto'
import { addBlocks, BLOCK } from '../../../dist/store/ingest/arrivals.js'

/** Sizes of two lineages: a line (each payload is made from the next) and a tree (each is made from two others). */
export const LINE = 10_000
export const TREE = 101
const TREE_FROM = LINE + 1
const OTHERS_FROM = LINE + TREE + 1

/**
 * Ids in the table of words, without gaps: hosts from 1, signers, the signers' names, a layer, two kinds and
 * two tags. `HOSTS` and `SIGNERS` are counts.
 */
const HOSTS = 1_000
const SIGNER = HOSTS + 1
const SIGNERS = 1_000
const NAME = SIGNER + SIGNERS
const LAYER = NAME + SIGNERS
const KIND = LAYER + 1
const TAG = KIND + 2
const RARE_TAG = TAG + 1
/** Ids of word lists. One bundle in ten has the second list of kinds, and one in a million the second list of tags. */
const [KINDS, MORE_KINDS, TAGS, RARE_TAGS] = [1, 2, 3, 4]
/** Time between two bundles in microseconds: 100 ms. */
const STEP = 100_000n
const BEGIN = 1_700_000_000_000_000n

/** Number of bundles for each payload outside the line and the tree. All other payloads have one. */
const BUNDLES_EACH = 10

/**
 * Returns the payload names, words and times (milliseconds since 1970) that queries use.
 *
 * @param {number} bundles
 */
export function namesIn(bundles) {
  return {
    alone: nameOf(OTHERS_FROM),
    ofTree: nameOf(TREE_FROM),
    ofLine: nameOf(1),
    host: 'host 7',
    signer: 'dev-7',
    kind: { common: 'src', rarer: 'tls' },
    tag: { rare: 'v-rare', unknown: 'nobody uses it' },
    late: Number((BEGIN + BigInt(bundles - 1_000) * STEP) / 1_000n),
    half: Number((BEGIN + BigInt(bundles / 2) * STEP) / 1_000n),
    end: Number((BEGIN + BigInt(bundles) * STEP) / 1_000n),
  }
}

/** @param {number} datum @returns {import('alvarium-sdk/score').PayloadName} */
function nameOf(datum) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(datum))
  return { hash: 'sha256', key: createHash('sha256').update(bytes).digest('hex').toUpperCase() }
}

/**
 * Returns the SQL statements that fill a new store.
 *
 * @param {number} bundles at least 20,000
 * @param {boolean} [isShuffled] whether the bundles were signed in another order than stored
 * @returns {readonly string[]}
 */
export function statementsFor(bundles, isShuffled = false) {
  const data = OTHERS_FROM + Math.ceil((bundles - OTHERS_FROM) / BUNDLES_EACH)
  const signed = isShuffled ? `1 + (n::bigint * 7919) % ${bundles}` : 'n::bigint'
  // Multiply by a prime, so that the bundles of a payload are spread over the whole store.
  const datum = `case when n < ${OTHERS_FROM} then n else ${OTHERS_FROM} + (n::bigint * 7919) % ${data - OTHERS_FROM} end`
  return [
    `insert into alvarium.word
     select n, convert_to(word, 'UTF8') from (
       select n, 'host ' || n from generate_series(1, ${HOSTS}) as n
       union all select ${SIGNER} + n, substr(encode(sha256(int8send(n)), 'hex'), 1, 32) from generate_series(0, ${SIGNERS - 1}) as n
       union all select ${NAME} + n, 'dev-' || n from generate_series(0, ${SIGNERS - 1}) as n
       union all values (${LAYER}, 'app'), (${KIND}, 'src'), (${KIND + 1}, 'tls'), (${TAG}, 'v1'), (${RARE_TAG}, 'v-rare')
     ) as words (n, word)`,
    `insert into alvarium.list
     select id, sha256(int8send(id)), words from (values
       (${KINDS}, array[${KIND}]), (${MORE_KINDS}, array[${KIND}, ${KIND + 1}]),
       (${TAGS}, array[${TAG}]), (${RARE_TAGS}, array[${RARE_TAG}])
     ) as lists (id, words)`,
    `insert into alvarium.leaf select n - 1, sha256(int4send(n)) from generate_series(1, ${bundles}) as n`,
    `insert into alvarium.evidence
     select n - 1, ${millis('n')}, sha256(int8send(n)), '\\x7b7d' from generate_series(1, ${bundles}) as n`,
    `insert into alvarium.datum (id, hash, digest)
     select n, place, sha256(int8send(n)) from generate_series(1, ${data}) as n, (select 0 as place) as hash`,
    `insert into alvarium.bundle
       (seq, evidence, datum, previous, at, signer, signed_by, host, layer, kinds, tags, place, action, ok)
     select n - 1, n - 1, ${datum}, case when n < ${LINE} then n + 1 end, ${BEGIN} + (${signed}) * ${STEP},
       ${SIGNER} + n % ${SIGNERS}, ${NAME} + n % ${SIGNERS}, 1 + n % ${HOSTS}, ${LAYER},
       case when n % 10 = 0 then ${MORE_KINDS} else ${KINDS} end, case when n % 1000000 = 9999 then ${RARE_TAGS} else ${TAGS} end,
       0, case when n < ${LINE} then 1 else 0 end, '\\x03'
     from generate_series(1, ${bundles}) as n`,
    `insert into alvarium.edge select n, n + 1, true from generate_series(1, ${LINE - 1}) as n`,
    `insert into alvarium.edge
     select ${TREE_FROM - 1} + n, ${TREE_FROM - 1} + 2 * n + side, true
     from generate_series(1, ${(TREE - 1) / 2}) as n, generate_series(0, 1) as side`,
    `update alvarium.head set leaves = ${bundles}, evidence = ${bundles}, data = ${data}, words = ${RARE_TAG + 1}, lists = 5`,
    addBlocks('0', `${Math.floor(bundles / BLOCK)}`),
    'vacuum analyze',
  ]
}

/** @param {string} n of a bundle */
const millis = (n) => `${BEGIN / 1_000n} + ${n}::bigint * ${STEP / 1_000n}`
