import { Command, Option } from 'commander'
import { HASHES, LAYERS } from '../../model/bundle.js'
import { brokerOptions, examples, type Runs, repeated, whole } from './parts.js'

const KINDS = ['src', 'tpm', 'pki']
const FORMATS = ['lines', 'csv', 'json', 'whole', 'chunks']

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
      new Option('-a, --annotator <kind>', 'who is asked; can be repeated (default: "src")')
        .choices(KINDS)
        .argParser(repeated(KINDS)),
    )
    .option('--pki-key <file>', 'the public key for the annotator pki')
    .addOption(
      new Option('--action <action>', 'what happened')
        .choices(['create', 'transit', 'publish'])
        .default('create'),
    )
    .addOption(new Option('--hash <name>', 'how payloads become keys').choices(HASHES))
    .addOption(new Option('--layer <layer>', 'where in the stack this is').choices(LAYERS))
    .option('--tag <text>', 'what annotations can be found by')
    .addOption(
      new Option('-f, --format <format>', 'what in a file is a payload (default: by its name)').choices(
        FORMATS,
      ),
    )
    .addOption(
      new Option('--chunk-bytes <number>', 'of a payload, for the format chunks')
        .argParser(whole(1, 1024 * 1024 * 1024))
        .default(65_536),
    )
}

/** Where it goes. */
function addWhere(command: Command): void {
  command.option('-o, --out <file>', 'messages go there, a line each (default: to standard output)')
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
