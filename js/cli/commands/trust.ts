import { Option } from 'commander'
import { ACTIONS, LAYERS } from '../../foundation/model/bundle.js'
import { collect, leasesOption, type Runs, Subcommand } from './parts.js'

const POLICY = 'the trust policy: JSON or YAML'

export function trustCommand(runs: Runs): Subcommand {
  return new Subcommand('trust')
    .summary('checks, explains and edits trust policies')
    .description('Checks, explains and edits trust policies: who may say what, and until when.')
    .addCommands(runs, checkCommand, explainCommand, addCommand, rotateCommand, revokeCommand)
}

function checkCommand(runs: Runs): Subcommand {
  return new Subcommand('check')
    .summary('checks a trust policy: would it work, and whom does it trust?')
    .description(
      "Reads a trust policy (JSON, YAML, OpenSSH's allowed_signers or a JSON Web Key Set), and lists its signers. Names all mistakes at once, each with its path.",
    )
    .argument('<file>', 'the trust policy')
    .option('--json', 'write JSON')
    .exitCodes(
      'the policy works',
      'it does not; each mistake is listed with its path',
      'it could not be decided: the file cannot be read',
    )
    .examples(['alvarium trust check trust.json', 'before you deploy it'])
    .action(runs(() => import('../trust/check.js')))
}

function explainCommand(runs: Runs): Subcommand {
  return new Subcommand('explain')
    .summary('shows which rule allows or refuses a message')
    .description(
      'Verifies one message, and shows what the policy says about each field, and by which of its entries.',
    )
    .argument('[source]', 'a file, the message itself, or - for standard input (the default)')
    .option('-t, --trust <file>', POLICY)
    .option('--received-at <time>', 'when the message was received (default: unknown)')
    .addOption(leasesOption())
    .option('--json', 'write JSON, one line per bundle')
    .exitCodes(
      'the policy allows the message',
      'it refuses it',
      'it could not be decided: the message does not verify, or a file cannot be read',
    )
    .examples(
      ['alvarium trust explain message.json --trust trust.json', 'why was it refused?'],
      [
        'alvarium trust explain message.json -t trust.json --received-at 2026-11-20T10:00:00Z',
        'the same for a message whose time of receipt you know',
      ],
    )
    .action(runs(() => import('../trust/explain.js')))
}

function addCommand(runs: Runs): Subcommand {
  return edits('add', 'adds a signer')
    .description(
      'Adds a signer to a trust policy, and shows the difference. Makes the file if there is none.',
    )
    .argument('<name>', 'the name of the signer')
    .addOption(keyOption('a public key of the signer; repeatable'))
    .option('--host <name>', 'a host it may speak for; may have *; repeatable (default: all)', collect())
    .someOf('--layer <layer>', 'a layer; repeatable (default: all)', LAYERS)
    .someOf('--action <action>', 'an action; repeatable (default: all)', ACTIONS)
    .option('--kind <kind>', 'a kind of annotation; may have *; repeatable (default: all)', collect())
    .option('--tag <tag>', 'a tag; may have *; repeatable (default: all)', collect())
    .option(
      '--set <name>',
      'a name of sets that it may seal; may have *; repeatable (default: all)',
      collect(),
    )
    .option('--confirms', 'a set that it seals shows that a pack has all bundles about a payload')
    .option('--from <time>', 'when its time begins (default: always)')
    .option('--until <time>', 'when its time ends (default: never)')
    .examples(
      ['alvarium trust add gateway-1 -t trust.json -k public.key --host edge-7', 'one host, everything else'],
      [
        'alvarium trust add line-4 -t trust.json -k public.key --host "line-4-*" --until 2027-01-01T00:00:00Z',
        'until the end of the year',
      ],
    )
    .action(runs(() => import('../trust/add.js')))
}

function rotateCommand(runs: Runs): Subcommand {
  return edits('rotate', 'gives a signer a new public key, and ends the time of its old ones')
    .description(
      'Adds a new public key to a signer, and sets when the time of the old ones ends. Until then, all of them verify.',
    )
    .argument('<name>', 'the name of the signer')
    .addOption(keyOption('the new public key'))
    .option('--until <time>', 'when the time of the old ones ends (default: in 24 hours)')
    .examples([
      'alvarium trust rotate gateway-1 -t trust.json -k new-public.key',
      'before you give it the new private key',
    ])
    .action(runs(() => import('../trust/rotate.js')))
}

function revokeCommand(runs: Runs): Subcommand {
  return edits('revoke', 'refuses what a signer signed, whatever time it names')
    .description(
      'Revokes a signer. Its messages that are received from then on are refused, whatever time they name. Messages whose time of receipt is unknown are refused too.',
    )
    .argument('<name>', 'the name of the signer')
    .option('--key-id <id>', 'revoke one public key alone: its key id, or the first digits')
    .option('--since <time>', 'since when (default: now)')
    .option('--why <text>', 'the reason, for errors')
    .examples(
      ['alvarium trust revoke gateway-1 -t trust.json --why "stolen with the van"', 'whatever it signs with'],
      ['alvarium trust revoke gateway-1 -t trust.json --key-id 648f9f59', 'one of them'],
    )
    .action(runs(() => import('../trust/revoke.js')))
}

function edits(name: string, summary: string): Subcommand {
  return new Subcommand(name)
    .summary(summary)
    .option('-t, --trust <file>', POLICY)
    .option('--dry-run', 'show the difference, and write nothing')
}

function keyOption(description: string): Option {
  return new Option('-k, --key <file>', description).argParser(collect())
}
