/** @typedef {{ pattern: RegExp, instead: string }} Banned a phrase, and its replacement */

/** Words before "key" that tell a reader which one is meant. */
const KINDS_OF_KEY =
  '[Pp]ayload|[Ss]igning|[Vv]erifying|[Pp]ublic|[Pp]rivate|[Cc]ryptographic|[Pp]rimary|' +
  'Ed25519|P-256|secp256k1|SM2|SSH|login|Tab|map'
/** Words after "key" that do the same. */
const THINGS_OF_KEY = 'ids?|files?|stores?|pairs?|of ArangoDB'

/**
 * Ambiguous phrases, which neither a page nor a comment uses. CONTRIBUTING.md has the words to use.
 *
 * @type {readonly Banned[]}
 */
export const PHRASES = [
  { pattern: /\bwants\b|(?<!\b(?:you|who|readers|users) )\bwant\b/, instead: 'needs; or say what to set' },
  { pattern: /\bmend(?:s|ed)?\b/, instead: 'fix' },
  { pattern: /\b(?:in|for) earnest\b/, instead: 'in production' },
  { pattern: /\bin vain\b/, instead: 'without success; failed' },
  { pattern: /\bfor ever\b/, instead: 'forever' },
  { pattern: /\bsomebody\b/i, instead: 'someone' },
  { pattern: /\banybody\b/i, instead: 'anyone' },
  { pattern: /\bwhoever\b/i, instead: 'anyone who; or name who it is' },
  { pattern: /(?:^|[,;:] )who \w+s\b/i, instead: '"If you …"; or name the subject' },
  { pattern: /\b(?:the|its|their) like\b/, instead: 'similar …' },
  { pattern: /(?<!\bthere )\b(?:is|are|was|were) none\b/i, instead: 'an invalid …; not a …' },
  { pattern: /\bnobody's\b/i, instead: 'is ignored; belongs to no …' },
  { pattern: /\bones? of (?:its|their|your|our) own\b/, instead: 'its own …, your own …' },
  { pattern: /\bones? of (?:yours|ours)\b/, instead: 'your own …; another …' },
  {
    pattern: /\b(?:stream|store|message|check|module|code|loop|broker|reason)s? of yours\b/,
    instead: 'your own …',
  },
  { pattern: /\bstays? (?:yours|theirs|ours)\b/, instead: 'is still your job' },
  { pattern: /\b(?:is|are|was|were) to be had\b/, instead: 'is available' },
  { pattern: /\bas (?:it|they) (?:comes?|stands?)\b/, instead: 'by default; unchanged; without settings' },
  { pattern: /\b(?:says?|said|do|does) otherwise\b|\bunless you do\b/, instead: 'by default' },
  {
    pattern: /\b(?:is|are|was|were|be) told\b(?! (?:not|to|what|how)\b)/,
    instead: 'is reported, is published, is decided',
  },
  { pattern: /\bends with (?:0|1|2|130)\b/, instead: 'exit code 0' },
  { pattern: /\bcosts? a (?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)\b/, instead: '1/9 of …' },
  { pattern: /\b(?:heed(?:s|ed)?|where(?:of|by)|there(?:of|by)|lest)\b/, instead: 'a word of today' },
  { pattern: /\bslips?\b/, instead: 'mistake' },
  { pattern: /\btake[sn]? (?:it|this|that|them) for\b|\btaken for\b/, instead: 'treats … as' },
  { pattern: /\bpasse[sd] over\b/, instead: 'skips' },
  { pattern: /\b(?:hangs?|hung) up\b/, instead: 'disconnects' },
  { pattern: /\bbeside (?:this|the) (?:one|package)\b/, instead: 'next to it; "install …"' },
  { pattern: /\bunder way\b/, instead: 'in progress' },
  { pattern: /\bon (?:its|their) way\b/, instead: 'in transit, in flight' },
  { pattern: /\bin hand\b/, instead: 'that you already have; in flight' },
  { pattern: /\b(?:comes?|came) again\b/, instead: 'is redelivered' },
  { pattern: /\bgives? up (?:on )?(?:it|a call|opening)\b/, instead: 'cancels' },
  {
    pattern: /\bwill not take\b|\bdoes not take (?:a|the|this) message\b/,
    instead: 'rejects, does not accept',
  },
  { pattern: /\bha(?:s|ve) to\b/, instead: 'must' },
  { pattern: /\b(?:decide|act)s? by it\b/, instead: 'acts on it' },
  { pattern: /\bor do not\b/, instead: 'say what to do in either case' },
  { pattern: /\b(?:kept|keeps?|keeping) (?:\w+ )?apart\b/, instead: 'quarantined; set aside; distinguishes' },
  { pattern: /\b(?:is|are|was|were) another one\b/, instead: 'differs; is a different …; has changed' },
  { pattern: /\bas any(?:one|body)?(?: there)? could\b/, instead: 'as anyone on the path could' },
  { pattern: /\bno \w+ can tell\b/, instead: 'cannot be tested from outside; is unknown' },
  { pattern: /, which is: choose\b/, instead: 'which already exists: choose' },
]

/**
 * Phrases that pages do not use. In code, `key` is often the name of a variable or a member.
 *
 * @type {readonly Banned[]}
 */
export const PHRASES_OF_PAGES = [
  ...PHRASES,
  {
    pattern: new RegExp(`(?<!(?:${KINDS_OF_KEY}) |[-\\w])keys?\\b(?! (?:${THINGS_OF_KEY})\\b)`),
    instead: 'payload key, signing key, private key, public key, key id',
  },
]

/** Phrases that comments, docstrings and titles of tests do not use. @type {readonly Banned[]} */
export const PHRASES_OF_CODE = [
  ...PHRASES,
  { pattern: /\bpass(?:ing)? over\b/, instead: 'skip' },
  { pattern: /\bbeside\b/i, instead: 'next to; as well as; at the same time as' },
  {
    pattern: /\b(?:is|are|was|were) another(?:'s)?(?=[,.;:)]|$| (?:of|than|that|which|who)\b)/,
    instead: 'differs; belongs to another …',
  },
]

/** The longest sentence of a page, in words. */
export const MAX_WORDS = 30

/** The longest line of code on a page, in characters. */
export const MAX_LINE_LENGTH = 76
