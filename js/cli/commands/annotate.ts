import { Command, InvalidArgumentError, Option } from 'commander'
import { ACTIONS, HASHES, LAYERS } from '../../model/bundle.js'
import { KINDS } from '../annotate/options.js'
import { brokerOptions, examples, formatOptions, type Runs, whole } from './parts.js'

/** A kind, or a path, which no kind is. */
function annotator(one: string, before: string[] = []): string[] {
  if (KINDS.includes(one) || /[/\\]|\.[cm]?js$/.test(one)) return [...before, one]
  throw new InvalidArgumentError(`Allowed choices are ${KINDS.join(', ')}, and modules: ./check.mjs.`)
}

/** Annotates payloads. */
export function annotateCommand(runs: Runs): Command {
  const command = new Command('annotate')
    .summary('signs what there is to say about payloads')
    .description('Annotates payloads out of files, folders or a pipe: a signed message about each of them.')
    .argument('[source...]', 'files, folders with all files in them, or - for what is piped in (the default)')
    .option('-k, --key <file>', 'the private key that signs')
    .option('--seed', 'the key is a seed alone, as the Rust SDK has it')
    .option('-c, --config <file>', 'the config of an Alvarium SDK, for key, annotators and stream')
  addWhat(command)
  addWhere(command)
  return command
    .addHelpText(
      'after',
      `
A payload is exactly the bytes that stand in a file, so that anybody can find its key again:
  lines   a line, without what ends it (.ndjson, .jsonl, .log, .txt, and what is piped in)
  csv     a record, without what ends it; the first one names the columns and is none (.csv)
  json    an item of an array; any other value is one payload (.json)
  whole   the file, up to 1 GiB (all others); its key is what sha256sum says
  chunks  as many bytes as --chunk-bytes says
${examples(
  ['alvarium annotate readings.csv -k private.key -o messages.ndjson', 'a message for every record'],
  [
    'alvarium annotate images/ -k private.key --url ws://localhost:9001 --topic alvarium --watch',
    'what is there, and what comes',
  ],
  [
    'alvarium annotate big.ndjson -c config.json --batch 256 --resume big.done',
    'many under one signature; goes on where it was stopped',
  ],
  [
    'alvarium annotate celsius.csv --from fahrenheit.csv --action mutate -k private.key -o made.ndjson',
    'which record was made from which',
  ],
  [
    'sensor | alvarium annotate -k private.key | ssh archive tee -a messages.ndjson',
    'line by line, through pipes',
  ],
)}`,
    )
    .action(runs(() => import('../annotate/run.js')))
}

/** What is said. */
function addWhat(command: Command): void {
  command
    .addOption(
      new Option(
        '-a, --annotator <kind>',
        'who is asked: src, tpm, pki or a module of your own, for example ./check.mjs; can be repeated (default: "src")',
      ).argParser(annotator),
    )
    .option('--pki-key <file>', 'the public key for the annotator pki')
    .addOption(new Option('--action <action>', 'what happened').choices(ACTIONS).default('create'))
    .option('--from <file>', 'what it was made from, payload by payload, with --action mutate')
    .addOption(new Option('--hash <name>', 'how payloads become keys').choices(HASHES))
    .addOption(new Option('--layer <layer>', 'where in the stack this is').choices(LAYERS))
    .option('--tag <text>', 'what annotations can be found by')
  for (const option of formatOptions('a file')) command.addOption(option)
}

/** Where it goes. */
function addWhere(command: Command): void {
  command
    .option('-o, --out <file>', 'messages go to this new file, a line each (default: to standard output)')
    .option('--append', 'add to --out, where it has messages already; --resume does')
    .option('--force', 'write over --out')
  for (const option of brokerOptions()) command.addOption(option)
  command
    .option('--topic <topic>', 'where at the broker')
    .addOption(new Option('--codec <codec>', 'how messages are written').choices(['json', 'cbor']))
    .addOption(
      new Option('--dialect <language>', 'write what the SDK of that language does').choices([
        'go',
        'java',
        'rust',
        'python',
      ]),
    )
    .addOption(new Option('--batch <number>', 'so many under one signature').argParser(whole(1, 65_536)))
    .option('--watch', 'go on with files that come, and with what is added to those that are there')
    .option('--resume <file>', 'remember there how far it came, and go on from there')
}
