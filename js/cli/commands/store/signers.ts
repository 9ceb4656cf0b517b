import { Option } from 'commander'
import type { Runs, Subcommand } from '../parts.js'
import { asking, limitOption, listOptions, pageOptions } from './options.js'

export function findCommand(runs: Runs): Subcommand {
  const filters = [
    new Option('--signer <name>', 'key id of the signer, or its name in the trust policy'),
    new Option('--host <name>', 'the host that a bundle names'),
    new Option('--kind <kind>', 'the kind of one of its annotations'),
    new Option('--tag <tag>', 'the tag of one of its annotations'),
    new Option('--from <time>', 'signed then or later'),
    new Option('--until <time>', 'signed before'),
    new Option('--received-from <time>', 'received then or later, whatever time its signer names'),
    new Option('--received-until <time>', 'received before'),
    new Option('--received-unknown', 'of which it is not known when they were received').conflicts([
      'receivedFrom',
      'receivedUntil',
    ]),
  ]
  return asking('find', [], [...filters, ...listOptions()])
    .summary('lists the bundles that have something in common')
    .description('Lists the bundles for which all of this is true, in the order in which they were stored.')
    .examples(
      ['alvarium store find --host edge-7 --kind tls --from 2026-11-20T10:00:00Z', 'one host, since then'],
      [
        'alvarium store find --signer dev-7 --received-from 2026-11-24T00:00:00Z --all --json',
        'after a theft: all that came from this signer since Tuesday, one on each line',
      ],
    )
    .action(runs(() => import('../../store/find.js')))
}

export function missingCommand(runs: Runs): Subcommand {
  const one = new Option('--signer <id>', 'key id of one signer (default: all that have checkpoints here)')
  const since = new Option('--since <time>', 'only checkpoints that came then or later, and what they list')
  return asking('missing', [], [one, since, ...pageOptions()])
    .summary('compares signers with their checkpoints: was any message left out?')
    .description(
      'Compares what is stored with the checkpoints of its signers: what is missing, what is in no log, and whose log is forked. What was pruned is not missing. Nothing is verified again.',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  nothing is missing, up to the last checkpoint of each run
  1  something is missing, or is in no log, or a log is forked
  2  it could not be decided (no checkpoints, or a part of a log that is not known)
With --since, 0 is said of the part; a signer of whose part anything is missing is compared as a whole.`,
    )
    .examples(
      ['alvarium store missing', 'of which signers is something missing?'],
      ['alvarium store missing --since 2026-11-20T10:00:00Z', 'and of what came since then?'],
      ['alvarium store missing --json', 'the same for programs, one line per signer'],
    )
    .action(runs(() => import('../../store/missing.js')))
}

export function signersCommand(runs: Runs): Subcommand {
  const since = new Option('--silent-since <time>', 'only those of which nothing was received since then')
  return asking('signers', [], [since, limitOption(1_000, 100_000)])
    .summary('lists signers: which have stopped?')
    .description('Lists signers with the last that was stored of each, the longest silent first.')
    .addHelpText(
      'after',
      `
Exit codes with --silent-since:
  0  no signer is silent
  1  some are`,
    )
    .examples(['alvarium store signers --silent-since 2026-11-20T10:00:00Z', 'which have stopped?'])
    .action(runs(() => import('../../store/signers.js')))
}
