import { Argument, Command, Option } from 'commander'
import { HASHES } from '../../model/bundle.js'
import {
  examples,
  leasesOption,
  PAYLOAD,
  type Runs,
  receivedOption,
  repeated,
  SOURCE,
  topicOptions,
  trustOptions,
  whole,
} from './parts.js'

/** Keeps bundles, and answers. */
export function storeCommand(runs: Runs): Command {
  const command = new Command('store')
    .summary('keeps verified bundles in a database, and answers questions about payloads')
    .description(
      'Keeps verified bundles in PostgreSQL, or in a folder on this machine, and answers questions about payloads.',
    )
  for (const make of COMMANDS) command.addCommand(make(runs))
  return command
}

const COMMANDS = [
  initCommand,
  ingestCommand,
  judgeCommand,
  aboutCommand,
  historyCommand,
  findCommand,
  lineageCommand,
  scoreCommand,
  auditCommand,
  checkpointCommand,
  pruneCommand,
  forgetCommand,
  signersCommand,
  exportCommand,
  serveCommand,
]

function initCommand(runs: Runs): Command {
  return new Command('init')
    .summary('makes a store, or brings its tables up to date')
    .description('Makes a store, or brings the tables of one up to date. What is stored stays.')
    .addOption(databaseOption())
    .addHelpText(
      'after',
      examples(
        ['npm install --global @electric-sql/pglite', 'once, for a folder; pg for PostgreSQL'],
        ['alvarium store init', 'in the folder alvarium-store, for one process at a time'],
        [
          'PGPASSWORD=… alvarium store init --database postgres://me@db.example/alvarium',
          'in PostgreSQL. ~/.pgpass can have the password too',
        ],
      ),
    )
    .action(runs(() => import('../store/init.js')))
}

function ingestCommand(runs: Runs): Command {
  const command = new Command('ingest')
    .summary('stores messages, each once')
    .description(
      [
        'Verifies messages and stores them, each once. Messages of a topic are acknowledged when they are stored.',
        'Messages of unknown signers are kept apart.',
      ].join(' '),
    )
    .argument('[source...]', SOURCE)
    .option('--json', 'write JSON')
  const received = receivedOption('--trust, signers and prune')
  const options = [databaseOption(), ...trustOptions(), leasesOption(), received, ...topicOptions()]
  for (const option of options) command.addOption(option)
  return command
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything is stored
  1  something did not verify
  2  it could not be decided (unknown signer, unreadable file)
${examples(
  ['alvarium store ingest messages.ndjson --key public.key', 'the messages of a file'],
  [
    'alvarium store ingest --url ws://localhost:9001 --topic alvarium/# --client-id store-1 -t trust.json',
    'a topic, until Ctrl-C; the broker keeps what comes meanwhile',
  ],
)}`,
    )
    .action(runs(() => import('../store/ingest.js')))
}

function judgeCommand(runs: Runs): Command {
  const command = new Command('judge')
    .summary('tries again what was kept apart')
    .description(
      'Verifies again what was kept apart, after you have added a signer to the keys or the policy.',
    )
    .option('--json', 'write JSON')
  for (const option of [databaseOption(), ...trustOptions()]) command.addOption(option)
  return command
    .addHelpText(
      'after',
      examples(['alvarium store judge --trust trust.json', 'after trust.json has a new signer']),
    )
    .action(runs(() => import('../store/judge.js')))
}

function aboutCommand(runs: Runs): Command {
  return asking(new Command('about'), [payloadArgument()], payloadOptions())
    .summary('tells what is known about a payload')
    .description(
      'Tells what was said about a payload: answers by kind, signers, hosts, and what it was made from.',
    )
    .addHelpText(
      'after',
      examples(
        ['alvarium store about reading.json', 'the payload in a file'],
        [`alvarium store about ${KEY} --payload-key`, 'by its payload key'],
        ['alvarium store about 21.4 --payload-key --hash none', 'a payload that is its own payload key'],
      ),
    )
    .action(runs(() => import('../store/about.js')))
}

const KEY = '2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824'

function historyCommand(runs: Runs): Command {
  return asking(new Command('history'), [payloadArgument()], [...payloadOptions(), ...pageOptions()])
    .summary('lists the bundles about a payload')
    .description('Lists the bundles about a payload, in the order in which they were stored.')
    .addHelpText('after', examples(['alvarium store history reading.json', 'who said what, and when?']))
    .action(runs(() => import('../store/history.js')))
}

function findCommand(runs: Runs): Command {
  const filters = [
    new Option('--signer <name>', 'key id of the signer, or its name in the trust policy'),
    new Option('--host <name>', 'the host that a bundle names'),
    new Option('--kind <kind>', 'the kind of one of its annotations'),
    new Option('--tag <tag>', 'the tag of one of its annotations'),
    new Option('--from <time>', 'signed then or later'),
    new Option('--until <time>', 'signed before'),
  ]
  return asking(new Command('find'), [], [...filters, ...pageOptions()])
    .summary('lists the bundles that have something in common')
    .description('Lists the bundles for which all of this is true, in the order in which they were stored.')
    .addHelpText(
      'after',
      examples([
        'alvarium store find --host edge-7 --kind tls --from 2026-11-20T10:00:00Z',
        'one host, since then',
      ]),
    )
    .action(runs(() => import('../store/find.js')))
}

function lineageCommand(runs: Runs): Command {
  const options = [
    new Option('--up', 'what it was made from, and so on (the default)').conflicts('down'),
    new Option('--down', 'what was made from it: what a recall concerns'),
    limitOption(1_000, 100_000),
    new Option('--implied', 'also follow what messages of other SDKs imply, which nobody has signed'),
  ]
  return asking(new Command('lineage'), [payloadArgument()], [...payloadOptions(), ...options])
    .summary('shows what a payload was made from, or what was made from it')
    .description('Follows a payload by what signers say in mutate, nearest first.')
    .addHelpText(
      'after',
      examples(
        ['alvarium store lineage report.pdf', 'back to its sources'],
        ['alvarium store lineage sensor.json --down', 'what has to be recalled?'],
      ),
    )
    .action(runs(() => import('../store/lineage.js')))
}

function scoreCommand(runs: Runs): Command {
  const options = [
    new Option('--policy <file>', 'a judging policy as JSON (default: all kinds count alike)'),
    new Option('--min <percent>', 'exit with 1 if the score is lower').argParser(whole(0, 100)),
  ]
  return asking(new Command('score'), [payloadArgument()], [...payloadOptions(), ...options])
    .summary('tells how far a payload can be trusted, and why')
    .description('Scores a payload by a judging policy, with the annotations and ancestors behind the score.')
    .addHelpText(
      'after',
      `
Exit codes:
  0  the payload has a score, and it is not below --min
  1  the score is below --min
  2  it could not be decided (nothing was said, or not all of its ancestors are known)
${examples(
  ['alvarium store score reading.json', 'how far, and why?'],
  ['alvarium store score reading.json --policy judging.json --min 80', 'good enough?'],
)}`,
    )
    .action(runs(() => import('../store/score.js')))
}

function auditCommand(runs: Runs): Command {
  const options = [
    ...trustOptions(),
    new Option('--checkpoint <file>', 'a checkpoint of the store that was kept elsewhere'),
    new Option('--vkey <key>', "the public key of the store's log, by which checkpoints must be signed"),
  ]
  return asking(new Command('audit'), [], options)
    .summary('verifies everything again: was anything altered?')
    .description(
      'Reads everything back and verifies it again: messages, the rows that were made of them, and the log. Only a checkpoint that was kept elsewhere proves that nothing was left out.',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  the store is as the checkpoint says; without one, it is consistent with itself
  1  there are differences
  2  it could not be decided (no such store, a checkpoint of another log)
${examples(
  ['alvarium store audit --trust trust.json', 'is it consistent with itself?'],
  ['alvarium store audit -t trust.json --checkpoint checkpoint.txt', 'is it as it was then?'],
)}`,
    )
    .action(runs(() => import('../store/audit.js')))
}

function checkpointCommand(runs: Runs): Command {
  return new Command('checkpoint')
    .summary('signs how much there is now, to be kept elsewhere')
    .description(
      'Signs how many entries the log of the store has, and the root over them. Kept elsewhere, this note shows later that nothing was altered or removed.',
    )
    .addOption(databaseOption())
    .requiredOption(
      '-k, --key <file>',
      "the log's private key, of Ed25519: always the same, and used for nothing else",
    )
    .option('--seed', 'the key is a seed of 32 bytes')
    .requiredOption('--origin <name>', 'the name of the log, such as example.com/store-1: always the same')
    .option('-o, --out <file>', 'a new file for the note (default: standard output)')
    .option('--json', 'write JSON')
    .addHelpText(
      'after',
      examples(
        [
          'alvarium store checkpoint -k log.key --origin example.com/store-1 -o checkpoint.txt',
          'keep it elsewhere',
        ],
        ['alvarium store audit -t trust.json --checkpoint checkpoint.txt', 'and compare later'],
      ),
    )
    .action(runs(() => import('../store/checkpoint.js')))
}

function pruneCommand(runs: Runs): Command {
  return new Command('prune')
    .summary('removes what is old; the log stays provable')
    .description(
      'Removes bundles and messages that were received before a time. Their ids stay in the log, and verdicts tell how many were pruned. There is no way back: export them first.',
    )
    .addOption(databaseOption())
    .requiredOption('--before <time>', 'received before; where that is not known, signed before')
    .option('--json', 'write JSON')
    .addHelpText(
      'after',
      examples(
        ['alvarium store export > evidence.ndjson', 'keep the messages first, if you may need them'],
        ['alvarium store prune --before 2026-01-01T00:00:00Z', 'and remove what is older'],
      ),
    )
    .action(runs(() => import('../store/prune.js')))
}

function forgetCommand(runs: Runs): Command {
  const command = new Command('forget')
    .summary('removes all that names a payload')
    .description(
      'Removes all bundles about a payload, and those that say that something was made from it, with their messages. Their ids stay in the log. There is no way back.',
    )
    .addArgument(payloadArgument())
    .option('--json', 'write JSON')
  for (const option of [databaseOption(), ...payloadOptions()]) command.addOption(option)
  return command
    .addHelpText(
      'after',
      examples(
        [
          'alvarium store forget ann@example.com --payload-key --hash none',
          'a text that is its own payload key',
        ],
        ['alvarium store forget letter.txt', 'the payload in a file, by its SHA-256'],
      ),
    )
    .action(runs(() => import('../store/forget.js')))
}

function signersCommand(runs: Runs): Command {
  const since = new Option('--silent-since <time>', 'only those of which nothing was received since then')
  return asking(new Command('signers'), [], [since, limitOption(1_000, 100_000)])
    .summary('lists signers: which have stopped?')
    .description('Lists signers with the last that was stored of each, the longest silent first.')
    .addHelpText(
      'after',
      `
Exit codes with --silent-since:
  0  no signer is silent
  1  some are
${examples(['alvarium store signers --silent-since 2026-11-20T10:00:00Z', 'which have stopped?'])}`,
    )
    .action(runs(() => import('../store/signers.js')))
}

function exportCommand(runs: Runs): Command {
  return asking(new Command('export'), [payloadArgument(false)], payloadOptions())
    .summary('writes messages as they were received')
    .description(
      'Writes messages, one on each line: they verify without the store. With --json, in base64 with the time at which each was received.',
    )
    .addHelpText(
      'after',
      examples(
        ['alvarium store export reading.json > evidence.ndjson', 'those about a payload'],
        ['alvarium store export | alvarium verify --key public.key', 'all of them, verified again'],
      ),
    )
    .action(runs(() => import('../store/export.js')))
}

function serveCommand(runs: Runs): Command {
  return new Command('serve')
    .summary('answers questions over HTTP')
    .description(
      'Answers questions over HTTP, read-only, with a page about it at /docs. Without a token, for programs of this machine only.',
    )
    .addOption(databaseOption())
    .addOption(timeoutOption())
    .option('--host <address>', 'the address to listen on; any but 127.0.0.1 needs a token', '127.0.0.1')
    .addOption(
      new Option('-p, --port <number>', '0 picks a free port').argParser(whole(0, 65_535)).default(8787),
    )
    .option('--token-file <file>', 'a file with the token that requests must send')
    .option('--allow-origin <origin>', 'also let web pages of this origin ask; repeatable', repeated())
    .addOption(
      new Option('--connections <number>', 'how many questions PostgreSQL answers at the same time')
        .argParser(whole(1, 64))
        .default(4),
    )
    .addHelpText(
      'after',
      examples(
        ['alvarium store serve', 'http://127.0.0.1:8787/docs, for this machine'],
        [
          'alvarium store serve --host 0.0.0.0 --token-file token --database postgres://reader@db.example/alvarium',
          'for others, with a token; put a proxy with TLS in front',
        ],
      ),
    )
    .action(runs(() => import('../store/serve.js')))
}

/** A command that asks. */
function asking(command: Command, given: readonly Argument[], options: readonly Option[]): Command {
  for (const argument of given) command.addArgument(argument)
  for (const option of [databaseOption(), ...options, timeoutOption()]) command.addOption(option)
  return command.option('--json', 'write JSON')
}

function databaseOption(): Option {
  return new Option(
    '-d, --database <where>',
    'postgres://user@host/database, or a folder for one process',
  ).default('alvarium-store')
}

function timeoutOption(): Option {
  return new Option('--query-timeout <seconds>', 'the most that a query may take')
    .argParser(whole(1, 86_400))
    .default(10)
}

function payloadArgument(isRequired = true): Argument {
  return new Argument(isRequired ? '<payload>' : '[payload]', PAYLOAD)
}

function payloadOptions(): Option[] {
  return [
    new Option('--payload-key', 'the payload is given by its payload key'),
    new Option('--hash <name>', 'the hash of the payload key').choices(HASHES).default('sha256'),
  ]
}

function pageOptions(): Option[] {
  return [limitOption(100, 10_000), new Option('--after <place>', 'behind this one: the next page')]
}

function limitOption(fallback: number, most: number): Option {
  return new Option('--limit <number>', 'at most so many').argParser(whole(1, most)).default(fallback)
}
