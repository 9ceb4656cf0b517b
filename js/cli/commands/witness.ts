import { collect, type Runs, Subcommand, whole } from './parts.js'

export function witnessCommand(runs: Runs): Subcommand {
  return new Subcommand('witness')
    .summary('runs a witness, which signs that it has seen the logs of others')
    .description(
      [
        'Runs a witness (C2SP tlog-witness): it signs the checkpoints of logs, with the time, and never two logs of one name.',
        'Run it where nobody who runs the logs can reach its files. Its private key and the last checkpoint of each log are in a folder. If you restore the folder from a backup, make a new witness.',
      ].join(' '),
    )
    .requiredOption('--name <name>', 'the name of the witness, such as witness.example/w1: always the same')
    .option('--state <folder>', 'the folder for its private key and its checkpoints', 'alvarium-witness')
    .option('--log <key>', 'the public key of a log, as store checkpoint prints it; repeatable', collect())
    .option(
      '--signer <file>',
      'the public key of a signer, or a folder of public keys: each of its runs is a log; repeatable',
      collect(),
    )
    .option('--host <address>', 'the address to listen on; put a proxy with TLS in front', '127.0.0.1')
    .option('-p, --port <number>', '0 picks a free port', whole(0, 65_535), 7380)
    .examples(
      [
        'alvarium witness --name witness.example/w1 --log "$(cat log.vkey)"',
        'http://127.0.0.1:7380; it prints its public key, for readers',
      ],
      [
        'alvarium witness --name witness.example/w1 --signer sensors/ --port 7381',
        'the runs of all signers whose public keys are in a folder',
      ],
    )
    .action(runs(() => import('../witness/run.js')))
}
