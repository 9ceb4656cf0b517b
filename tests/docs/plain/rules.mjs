// The rules for comments, docstrings, titles of tests and names: a pattern of the fault, what to write instead, and an example of both.

import { PHRASES_OF_CODE } from '../words.mjs'

/** @typedef {import('./texts.mjs').Kind} Kind */
/**
 * A rule.
 *
 * @typedef {object} Rule
 * @property {string} name
 * @property {readonly Kind[]} of texts that it is about
 * @property {RegExp} pattern of the fault
 * @property {string} instead what to write
 */

/** @type {readonly Kind[]} */
const COMMENTS = ['function', 'value', 'comment', 'tag']
/** @type {readonly Kind[]} */
const NAMES = ['name', 'member']
/** @type {readonly Kind[]} */
const SENTENCES = ['printed']

/** Openers that leave a reader without a subject. */
const NO_SUBJECT =
  'What|Whatever|Who|Whoever|Whose|Whom|How|However many|Whether|Which|Those|That|Of|As|So|Said|It|All (?:of|that|those|who|there)'
/** Openers that are neither a noun nor belong to one. */
const NO_NOUN =
  'By|For|From|With|Without|Where|When|While|Until|Before|After|Behind|Beside|Between|In|On|At|To|Its?|They|Them|These|This|' +
  'Some|None|Nobody|Nothing|Something|Told|Kept|Held|Given|Made|Asked|Called|Also|Again|Then|There|Only'
/** Plurals that end as verbs do. */
const PLURALS =
  'Annotators|Annotations|Arrays|Brokers|Browsers|Bundles|Bytes|Checkpoints|Digits|Entries|Files|Inputs|Keys|Lines|Members|Messages|Milliseconds|' +
  'Microseconds|Nanoseconds|Numbers|Options|Others|Pages|Payloads|Pieces|Proofs|Rows|Seconds|Signers|Statements|Texts|Values|Words|' +
  'As|Its|This|Always|Perhaps|Less|Unless|Across|Towards'
/** Verbs that no noun is spelled like. */
const VERBS =
  'accepts|adds|agrees|are|asks|can|cannot|closes|compares|delivers|does|drops|finds|finishes|follows|forgets|gives|goes|has|have|holds|is|keeps|' +
  'knows|leaves|lets|loses|makes|may|means|must|needs|never|opens|passes|proves|prunes|publishes|puts|raises|reads|refuses|rejects|removes|reports|' +
  'returns|says|sends|takes|tells|throws|verifies|waits|will|works|writes'
/** Beginnings of a title of `describe` that is no subject for the titles in it. */
const CLAUSES = 'when|where|if|while|in|with|without|after|before|on|by|for|at|under'
const NO_NAMES =
  'told|said|asked|came|gone|given|taken|held|kept|made|shown|heard|unheard|known|own|whose|who|whom|what|which|some|most|more|many|few|both|those|' +
  'these|them|they|ours|theirs|it|others?|another|beside|together|apart|otherwise|elsewhere|meanwhile|behind|aside|away|here|there|then|again|also|too|only'

/** @type {readonly Rule[]} */
export const RULES = [
  {
    name: 'a docstring of a function begins with a verb',
    of: ['function'],
    pattern: new RegExp(`^(?!…|Internal: |Experimental: )(?![A-Z][a-z-]+s\\b(?!'))|^(?:${PLURALS})\\b`),
    instead: '"Returns …", "Reads …", "Returns whether …": a verb in the third person',
  },
  {
    name: 'a docstring of a value begins with a noun',
    of: ['value'],
    pattern: new RegExp(`^(?:${NO_SUBJECT}|${NO_NOUN})\\b`),
    instead: 'a noun: "Number of …", "Size in bytes", "True if …" for a boolean',
  },
  {
    name: 'a comment begins with its subject',
    of: ['comment'],
    pattern: new RegExp(`^(?:${NO_SUBJECT})\\b`),
    instead: 'the subject by its name, or what the reader does: "Clear the flag first: …"',
  },
  {
    name: 'a noun is the subject, not a clause',
    of: COMMENTS,
    pattern:
      /(?<=\S[.!?;:,] )(?:Who|Those|What|Whose|Whom|what (?:is|are|was|were|has|had|comes|came|it|they)) |\b[Tt]hose (?:that|which|who|whose)\b/,
    instead: 'the noun: "messages that …", "a signer that …"',
  },
  ...PHRASES_OF_CODE.map((phrase) => ({ name: 'words are plain', of: [...COMMENTS, 'title'], ...phrase })),
  ...PHRASES_OF_CODE.map((phrase) => ({ name: 'printed words are plain', of: SENTENCES, ...phrase })),
  {
    name: 'a title stands alone in a log',
    of: ['logged'],
    pattern: new RegExp(
      `^(?:${NO_SUBJECT}|they|and|but|or|nor|also|${VERBS})\\b(?!.* > )|^(?:${CLAUSES})\\b[^>]* > (?:${VERBS})\\b[^>]*$`,
      'i',
    ),
    instead: 'a sentence with its subject: "verifyPack reports a missing message"',
  },
  {
    name: 'a title does not go on from another test',
    of: ['logged'],
    pattern: /> (?:and|but|or|nor|so|also|too|those|what|who|whoever|whose)\b[^>]*$/,
    instead: 'a sentence that goes with the title of `describe`, whatever tests are before it',
  },
  {
    name: 'a bound is MAX_ or MIN_',
    of: NAMES,
    pattern: /^(?:MOST|LONGEST|LEAST|SHORTEST|FEWEST|DEEPEST|LARGEST|SMALLEST|BIGGEST)(?:_|$)/,
    instead: 'MAX_… or MIN_…, and the field that it bounds',
  },
  {
    name: 'a name is a noun, or the verb of a function',
    of: NAMES,
    pattern: new RegExp(`^(?:${NO_NAMES})$`, 'i'),
    instead: 'what it is: ReceivedMessage for Came, SelectPage for SOME',
  },
  {
    name: 'a name is no participle',
    of: ['name'],
    pattern: /^(?!(?:see|nee|fee|spee|proce|exce|succe|embe|shre|bree)d$)(?:[A-Za-z][a-z]+ed|[A-Z]{2,}ED)$/,
    instead: 'a noun, or the verb of a function: join for joined, copy for copied',
  },
]
