import { InvalidArgumentError } from 'commander'
import { ACTIONS, HASHES, LAYERS } from '../../foundation/model/bundle.js'
import { KINDS } from '../annotate/options.js'
import {
  brokerUrl,
  collect,
  connectionOptions,
  formatOptions,
  type Runs,
  Subcommand,
  whole,
} from './parts.js'

function annotator(one: string, before: string[] = []): string[] {
  if (KINDS.includes(one) || /[/\\]|\.[cm]?js$/.test(one)) return [...before, one]
  throw new InvalidArgumentError(`Allowed choices are ${KINDS.join(', ')}, and modules: ./check.mjs.`)
}

export function annotateCommand(runs: Runs): Subcommand {
  const command = new Subcommand('annotate')
    .summary('signs annotations about payloads')
    .description(
      'Annotates payloads from files, folders or a pipe. Writes or publishes one signed message for each payload.',
    )
    .argument(
      '[source...]',
      'files, folders (with everything in them but hidden files and links), or - for standard input (the default)',
    )
    .option('-k, --key <file>', 'the private key to sign with')
    .option('--seed', 'the private key is a bare seed, as the Rust SDK writes it')
    .option('-c, --config <file>', 'an Alvarium config file: gives signing key, annotators and stream')
  addWhat(command)
  addWhere(command)
  return command
    .addHelpText('after', ANNOTATE_HELP)
    .examples(
      ['alvarium annotate readings.csv -k private.key -o messages.ndjson', 'one message per record'],
      [
        'alvarium annotate images/ -k private.key --url ws://localhost:9001 --topic alvarium --watch',
        'the files in the folder, then each new one',
      ],
      [
        'alvarium annotate big.ndjson -c config.json --batch 256 --resume big.done',
        '256 records per signature; run it again to continue after a stop',
      ],
      [
        'alvarium annotate celsius.csv --from fahrenheit.csv --action mutate -k private.key -o made.ndjson',
        'links each new record to the record it was made from',
      ],
      [
        'alvarium annotate average.json -f whole --inputs readings.list --action mutate -k private.key -o made.ndjson',
        'links a payload to all files that readings.list names, one on each line',
      ],
      [
        'sensor | alvarium annotate -k private.key | ssh archive tee -a messages.ndjson',
        'in a pipeline: one payload per line',
      ],
    )
    .action(runs(() => import('../annotate/run.js')))
}

const ANNOTATE_HELP = `
What one payload is. Its bytes are taken exactly as they are in the file:
  lines   a line, without its line end (.ndjson, .jsonl, .log, .txt, and standard input)
  csv     a record, without its line end; the header is not a payload (.csv)
  json    an item of the array; any other value is one payload (.json)
  rows    a row of Parquet as JSON in canonical form (.parquet)
  row-groups  a row group of Parquet as it is in the file, and what is behind the last one
  whole   the whole file, up to 1 GiB (all others); its payload key is the output of sha256sum
  chunks  pieces of --chunk-bytes bytes`

function addWhat(command: Subcommand): void {
  command
    .option(
      '-a, --annotator <kind>',
      'an annotator: src, tpm, pki, or your own module (./check.mjs); repeatable (default: "src")',
      annotator,
    )
    .option('--pki-key <file>', 'the public key for the annotator pki')
    .oneOf('--action <action>', 'what happened to the payload', ACTIONS, 'create')
    .option(
      '--from <file>',
      'with --action mutate: the originals, one for each payload, in the same order; repeatable: each payload was made from one original of each file',
      collect(),
    )
    .option(
      '--inputs <file>',
      'with --action mutate: a list of all that one payload was made from; each line is a payload key, a file, or "set" and the id of a sealed set',
    )
    .oneOf('--hash <name>', 'the hash that payload keys are made with', HASHES)
    .oneOf('--layer <layer>', 'where in the stack this application runs', LAYERS)
    .option('--tag <text>', 'a text in each annotation, to find it by')
    .addOptions(formatOptions('a file'))
}

function addWhere(command: Subcommand): void {
  command
    .option('-o, --out <file>', 'write messages to this new file, one per line (default: standard output)')
    .option('--append', 'append to --out if it exists; --resume implies it')
    .option('--force', 'overwrite --out')
    .addOptions(brokerUrl(), connectionOptions())
    .option('--topic <topic>', 'the topic to publish to')
    .oneOf(
      '--codec <codec>',
      'the encoding of messages; cbor with --batch needs about 40 bytes for each payload',
      ['json', 'cbor'],
    )
    .oneOf('--dialect <language>', 'write messages of another Alvarium SDK', ['go', 'java', 'rust', 'python'])
    .option('--batch <number>', 'up to this many payloads per signature', whole(1, 65_536))
    .option('--watch', 'keep running: annotate new files, and lines added to files')
    .option('--resume <file>', 'keep the progress in this file, and continue from it')
}
