import { Option } from 'commander'
import { type Runs, Subcommand, trustOptions } from '../parts.js'
import { asking, databaseOption, witnessesOption } from './options.js'

export function auditCommand(runs: Runs): Subcommand {
  const options = [
    ...trustOptions(),
    new Option('--checkpoint <file>', 'a checkpoint of the store that was kept elsewhere'),
    new Option('--vkey <key>', "the public key of the store's log, by which the checkpoint must be signed"),
    new Option(
      '--since <file>',
      'read only what came after this checkpoint, which an earlier audit has written',
    ),
    new Option(
      '--checkpoint-out <file>',
      'a new file for the newest checkpoint, if the store holds: for --since',
    ),
    witnessesOption('witnesses whose signatures in the store count as a checkpoint that was kept'),
    new Option('--itself', 'ask only whether the store is consistent with itself'),
  ]
  return asking('audit', [], options)
    .summary('verifies everything again: was anything altered?')
    .description(
      'Reads everything back and verifies it again: messages, the rows that were made of them, and the log. Only a checkpoint that was kept elsewhere, or seen by witnesses, and the public key that has signed it, prove that nothing was altered or left out.',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  the store is as the checkpoint says; with --since, so is what came after it; with --itself, it is consistent with itself
  1  there are differences
  2  it could not be decided (the checkpoint or its public key is not given, the public key of a signer is not known,
     something stands on entries of the log that no signed checkpoint has, no such store)`,
    )
    .examples(
      ['alvarium store audit --trust trust.json --itself', 'is it consistent with itself?'],
      [
        'alvarium store audit -t trust.json --checkpoint checkpoint.txt --vkey "$(cat log.vkey)"',
        'is it as it was then?',
      ],
      [
        'alvarium store audit -t trust.json --since last.txt --vkey "$(cat log.vkey)" --checkpoint-out next.txt',
        'each hour: is what came since as it was signed?',
      ],
    )
    .action(runs(() => import('../../store/audit.js')))
}

export function checkpointCommand(runs: Runs): Subcommand {
  return new Subcommand('checkpoint')
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
    .addOption(witnessesOption('witnesses to sign it, too'))
    .option('-o, --out <file>', 'a new file for the note (default: standard output)')
    .option('--json', 'write JSON')
    .examples(
      [
        'alvarium store checkpoint -k log.key --origin example.com/store-1 -o checkpoint.txt',
        'keep it elsewhere',
      ],
      [
        'alvarium store audit -t trust.json --checkpoint checkpoint.txt --vkey "$(cat log.vkey)"',
        'and compare later',
      ],
    )
    .action(runs(() => import('../../store/checkpoint.js')))
}
