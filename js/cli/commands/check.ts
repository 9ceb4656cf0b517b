import { ACTIONS } from '../../foundation/model/bundle.js'
import {
  controlMessageOptions,
  formatOptions,
  type Runs,
  receivedOption,
  Subcommand,
  trustOptions,
  whole,
} from './parts.js'

export function checkCommand(runs: Runs): Subcommand {
  return new Subcommand('check')
    .summary('compares a file with its messages: which record was altered?')
    .description(
      [
        'Compares the records of a file with what was signed about them, one by one. Names the line of each record that was',
        'altered, is missing, was added, has moved, or was signed twice. Messages must be in the order in which they were signed,',
        'as "alvarium annotate" writes them.',
      ].join(' '),
    )
    .argument('<data>', 'the file, a folder (its files in the order of their names), or - for standard input')
    .argument(
      '<messages...>',
      'files or folders with the messages, or - for standard input; or the one file of a manifest (set seal --manifest)',
    )
    .oneOf('--action <action>', 'compare bundles of this action (default: that of the first)', ACTIONS)
    .option('--by <column>', 'the file has been sorted since: compare in the order of this column')
    .option(
      '--max-records <number>',
      'how many there may be, at 400 bytes of memory each',
      whole(1, 16_000_000),
      4_000_000,
    )
    .option('--salt <file>', 'a file with the salt of the manifest, if it has one: 64 hexadecimal digits')
    .option('--json', 'write JSON, one line per finding, and a last one with the total')
    .addOptions(trustOptions(), controlMessageOptions(), receivedOption(), formatOptions('the file'))
    .addHelpText('after', CHECK_HELP)
    .examples(
      [
        'alvarium check readings.csv messages.ndjson --key public.key',
        'which record of the file was altered?',
      ],
      ['alvarium check readings.csv readings.manifest --key public.key', 'the same, by 32 bytes a record'],
      [
        'alvarium check sorted.csv messages.ndjson -k public.key --by id',
        'the file was sorted by another column since, and was in the order of id when it was signed',
      ],
      [
        'alvarium check image.iso messages.ndjson -k public.key --format chunks --chunk-bytes 1048576',
        'which piece of a large file?',
      ],
      [
        'alvarium check photos/ messages.ndjson --trust trust.json --json',
        'which files of a folder? For programs',
      ],
    )
    .action(runs(() => import('../check/run.js')))
}

const CHECK_HELP = `
The header of a CSV file is signed only if the file was annotated with --format lines.

Exit codes:
  0  each record is as it was signed, and none is missing
  1  some are not, or a message did not verify
  2  it could not be decided (unknown signer, unreadable file)`
