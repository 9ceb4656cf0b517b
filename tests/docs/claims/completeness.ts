import { claimsOf } from './page.js'

const MAKING = 'tests/completeness/making.test.ts'
const JUDGING = 'tests/completeness/judging.test.ts'
const MODEL = 'tests/completeness/model.test.ts'
const FORMAT = 'tests/completeness/format.test.ts'
const LIVE = 'tests/completeness/live.test.ts'
const WATCHING = 'tests/completeness/watching.test.ts'
const CLI = 'tests/cli/audit.test.ts'
const INDEPENDENT = 'tests/independent/checkpoints.test.ts'

export const COMPLETENESS = claimsOf('examples/guide/completeness.md', [
  [
    'after every messages, and after everyMs if there is something new',
    MAKING,
    'signs one after a time too, where there is something new',
  ],
  [
    'Restarts, several processes with one signing key, batches and outboxes need no settings.',
    MODEL,
    'raises no alarm where nothing is missing: in any order, with repeats, restarts and several runs',
  ],
  [
    'a subscription with completeness needs leases: true.',
    'tests/trust/subscribed.test.ts',
    'has a checkpoint that comes before its lease wait, and then knows what is missing',
  ],
  [
    'The next run names them in its checkpoints, also after a kill.',
    'tests/completeness/kept-run.test.ts',
    'is named by the next one after a kill, and nothing is missing',
  ],
  [
    'the next run is a new run that names an older one, and no fork.',
    'tests/completeness/kept-run.test.ts',
    'is a new run and no fork after somebody has restored the store of an earlier one',
  ],
  [
    'The report counts by the issuer',
    'tests/trust/logged.test.ts',
    'count by their issuer, however many keys it gives leases to',
  ],
  [
    'With a pool, the log has the order in which the workers finish.',
    MAKING,
    'lists what workers sign, single calls and batches, in the order in which it got them from them',
  ],
  [
    'Checkpoints do not work with the codec classic.',
    MAKING,
    'is refused with classic messages, and without a stream',
  ],
  [
    'calls go on and the logger gets an error.',
    MAKING,
    'goes on when checkpoints cannot be published, and the logger hears of it',
  ],
  [
    'in one file or in several, in any order. Repeats do not matter.',
    CLI,
    'says that nothing is missing, with checkpoints in the same file or beside it, in any order',
  ],
  [
    'messages that a checkpoint lists and that are not there: run, positions, bundles, and the times around them',
    JUDGING,
    'has its place, and the times of what is there around it',
  ],
  [
    'how many messages the gaps had, and how many of them are not there, at least',
    MODEL,
    'names what is missing where a list came through, and counts it where none did',
  ],
  [
    'messages in no log, although all logs of their time are known: backdated, or signed with a stolen private key',
    JUDGING,
    'is backdated, if all logs of its time are there',
  ],
  [
    'If bundles were taken out of a batch and the batch was thrown away, the other bundles are missing.',
    MODEL,
    'counts the bundles of a batch from which only some were kept',
  ],
  [
    'or if you keep the last checkpoint:',
    JUDGING,
    'is counted by the next run, where nothing else has told of the end of the one before',
  ],
  [
    'Checkpoints are verified and acknowledged; the loop does not get them.',
    WATCHING,
    'rejects a checkpoint of a stranger, and delivers none',
  ],
  [
    'Without the list: how many, in which range',
    LIVE,
    'is named where a list came, and counted where none did',
  ],
  [
    'messages come, and for silentMs (40 s) no checkpoint has them',
    LIVE,
    'a signer is silent when what comes is in no checkpoint, until one comes',
  ],
  [
    'A message that comes late is not counted as missing any more.',
    WATCHING,
    'tells which messages did not come, and takes those away that come late',
  ],
  [
    'nothing is judged while messages wait',
    LIVE,
    'is raised while a loop is slow, and something may wait that is missing',
  ],
  [
    'Restarts, repeats, reordering, batches and several processes with one signing key cause no finding.',
    LIVE,
    'is raised by restarts, runs beside each other, batches, repeats, or another order',
  ],
  [
    'what was signed before the subscription began, until the first message of that run has come',
    LIVE,
    'is raised about a run that was there before, until something of it has come',
  ],
  [
    'the last messages of a process that was killed',
    LIVE,
    'is raised about the tail of a run that was killed',
  ],
  [
    'The subscription remembers 100,000 messages of a signer (maxMessages)',
    LIVE,
    'is raised about a message that comes again after its list was forgotten',
  ],
])

export const FORMAT_OF_CHECKPOINTS = claimsOf('crate/FORMAT.md', [
  ['The message MUST be spelled as JSON.stringify spells it', FORMAT, 'around the text'],
  [
    'A reader MUST refuse every other line, and every other spelling.',
    INDEPENDENT,
    'agrees about hundreds of texts in which characters were changed',
  ],
  [
    'A reader ignores the other lines: witnesses may add theirs.',
    FORMAT,
    'other signatures are passed over, as witnesses add them',
  ],
  [
    'If the keyring does not hold the signer, the answer is SIGNER_UNKNOWN.',
    FORMAT,
    'of a stranger is read no further than to its signer',
  ],
])
