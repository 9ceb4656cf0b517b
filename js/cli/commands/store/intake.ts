import {
  deadLettersOption,
  leasesOption,
  type Runs,
  receivedOption,
  SOURCE,
  Subcommand,
  topicOptions,
  trustOptions,
} from '../parts.js'
import { databaseOption } from './options.js'

export function initCommand(runs: Runs): Subcommand {
  return new Subcommand('init')
    .summary('makes a store, or brings its tables up to date')
    .description('Makes a store, or brings the tables of one up to date. What is stored stays.')
    .addOption(databaseOption())
    .examples(
      ['npm install --global @electric-sql/pglite', 'once, for a folder; pg for PostgreSQL'],
      ['alvarium store init', 'in the folder alvarium-store, for one process at a time'],
      [
        'PGPASSWORD=… alvarium store init --database postgres://me@db.example/alvarium',
        'in PostgreSQL. ~/.pgpass can have the password too',
      ],
    )
    .action(runs(() => import('../../store/init.js')))
}

export function ingestCommand(runs: Runs): Subcommand {
  return new Subcommand('ingest')
    .summary('stores messages, each once')
    .description(
      [
        'Verifies messages and stores them, each once. Messages of a topic are acknowledged when they are stored.',
        'Messages of unknown signers are quarantined.',
      ].join(' '),
    )
    .argument('[source...]', SOURCE)
    .option('--json', 'write JSON')
    .addOptions(databaseOption(), trustOptions(), leasesOption())
    .addOptions(receivedOption('--trust, signers and prune'), topicOptions(deadLettersOption()))
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything is stored
  1  something did not verify
  2  it could not be decided (unknown signer, unreadable file)

With --url and --trust, leases are taken from <topic>/signers too. Do not pipe alvarium listen --client-id into
this command: the broker would forget what is in the pipe. --url keeps each message there until it is stored.`,
    )
    .examples(
      ['alvarium store ingest messages.ndjson --key public.key', 'the messages of a file'],
      [
        'alvarium store ingest --url ws://localhost:9001 --topic alvarium/# --client-id store-1 -t trust.json',
        'a topic, until Ctrl-C; the broker keeps what comes meanwhile',
      ],
    )
    .action(runs(() => import('../../store/ingest.js')))
}

export function judgeCommand(runs: Runs): Subcommand {
  return new Subcommand('retry')
    .summary('retries quarantined messages')
    .description(
      'Verifies quarantined messages again, after you have added a signer to the keys or the policy.',
    )
    .option('--json', 'write JSON')
    .addOptions(databaseOption(), trustOptions())
    .exitCodes(
      'no message is quarantined any more',
      'something did not verify',
      'some messages stay: their signer is still unknown, or the database refuses them',
    )
    .examples(['alvarium store retry --trust trust.json', 'after trust.json has a new signer'])
    .action(runs(() => import('../../store/retry.js')))
}
