import { Option } from 'commander'
import {
  formatOptions,
  PAYLOAD,
  type Runs,
  receivedOption,
  Subcommand,
  trustOptions,
  whole,
} from './parts.js'

export function setCommand(runs: Runs): Subcommand {
  return new Subcommand('set')
    .summary('seals any number of payloads under one signature, and proves what was in them')
    .description(
      'Seals any number of payloads under one signature. Proves later that a payload was among them, or that it was not.',
    )
    .addCommands(runs, sealCommand, proveCommand, verifyCommand, updateCommand)
}

function sealCommand(runs: Runs): Subcommand {
  return new Subcommand('seal')
    .summary('seals payloads: a message to publish, and a list to keep')
    .description(
      'Seals payloads from files, folders or a pipe. Writes a message to publish, and the list that proofs are made of. Never overwrites a file.',
    )
    .argument(
      '<source...>',
      'files, folders (with everything in them but hidden files and links), or - for standard input',
    )
    .requiredOption('-k, --key <file>', 'the private key to sign with')
    .option('--seed', 'the private key is a bare seed, as the Rust SDK writes it')
    .option('-n, --name <name>', 'what to call the set', '')
    .option('--payload-keys', 'each line is the payload key of sha256 of a payload, and not a payload')
    .addOption(saltOption())
    .option('-o, --out <file>', 'the file for the message', 'set.json')
    .option('-l, --list <file>', 'the file for the list', 'set.list')
    .addOption(
      new Option(
        '--manifest <file>',
        'the file for a manifest, in place of a message and a list: the payload keys in the order of the records, for alvarium check',
      ).conflicts(['out', 'list', 'as', 'signature']),
    )
    .oneOf('--as <form>', 'writes a signature in the format of OpenSSF Model Signing, too, of one folder', [
      'oms',
    ])
    .option('--signature <file>', 'the file for that signature', 'model.sig')
    .addOptions(formatOptions('a file'))
    .examples(
      ['alvarium set seal images/ --key private.key --name training-7', 'the files of a folder'],
      ['alvarium set seal readings.csv -k private.key -o may.json -l may.list', 'the records of a file'],
      [
        'alvarium set seal readings.csv -k private.key --manifest readings.manifest',
        'its records in their order, to see later which one was altered',
      ],
      [
        'sha256sum *.parquet | cut -c 1-64 | alvarium set seal - -k private.key --payload-keys',
        'payloads that are elsewhere',
      ],
    )
    .action(runs(() => import('../set/seal.js')))
}

function proveCommand(runs: Runs): Subcommand {
  return new Subcommand('prove')
    .summary('proves that a payload is in a set, or that it is not')
    .description(
      'Makes a proof that a payload is in a set; with --expect absent, that it is not. A row of a file is asked for by its number (--record), of a manifest also without the file.',
    )
    .argument('<list>', 'the list of the set, or a manifest')
    .argument('[payload]', PAYLOAD)
    .addOptions(payloadOptions())
    .addOption(
      expectOption().default('member', 'member: if it is absent, nothing is written and the exit code is 1'),
    )
    .option('-o, --out <file>', 'a new file for the proof (default: standard output)')
    .examples(
      ['alvarium set prove set.list cat.jpg > proof.json', 'was it in the set?'],
      ['alvarium set prove set.list --record 2 readings.csv > proof.json', 'the second record of a file'],
      ['alvarium set prove readings.manifest --record 2 > proof.json', 'the second record of a manifest'],
      ['alvarium set prove set.list fox.jpg --expect absent > proof.json', 'show that it was not'],
      [
        'alvarium set prove set.list --payload-key 2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824',
        'without the payload',
      ],
    )
    .action(runs(() => import('../set/prove.js')))
}

function verifyCommand(runs: Runs): Subcommand {
  return new Subcommand('verify')
    .summary('verifies a set, a proof about a payload, or an update')
    .description(
      'Verifies the signature of a set. With a proof and a payload: is the payload in it, or not? With --before and --update: what has changed?',
    )
    .argument('<set>', 'the message of the set, or a manifest')
    .argument('[proof]', 'a proof')
    .argument('[payload]', PAYLOAD)
    .addOptions(payloadOptions(), expectOption())
    .option('-l, --list <file>', 'the list of the set: its order and root are checked')
    .option('--before <file>', 'the message of the set before')
    .option('--before-list <file>', 'the list of the set before: with --list, everything is compared')
    .option('--update <file>', 'an update from the set before to this one')
    .option('--json', 'write JSON')
    .addOptions(trustOptions(), receivedOption())
    .exitCodes(
      'it verifies; the line says what it shows, member or absent',
      'it does not, or shows the other than --expect',
      'it could not be decided (unknown signer, unreadable file)',
    )
    .examples(
      ['alvarium set verify set.json --key public.key', 'who sealed how many payloads, and when?'],
      ['alvarium set verify set.json proof.json cat.jpg -k public.key', 'is the payload in it, or not?'],
      ['alvarium set verify set.json -k public.key --list set.list', 'an audit: is the whole list in order?'],
      [
        'alvarium set verify june.json -k public.key --before may.json --update update.json',
        'what was added, and what was removed?',
      ],
    )
    .action(runs(() => import('../set/verify.js')))
}

function updateCommand(runs: Runs): Subcommand {
  return new Subcommand('update')
    .summary('proves what was added to a set, and what was removed')
    .description('Makes an update: for each payload that was added or removed, proofs about both sets.')
    .argument('<before>', 'the list of the set before')
    .argument('<after>', 'the list of the set after')
    .option('-o, --out <file>', 'a new file for the update (default: standard output)')
    .examples(['alvarium set update may.list june.list > update.json', 'what changed?'])
    .action(runs(() => import('../set/update.js')))
}

function payloadOptions(): Option[] {
  return [
    new Option('--payload-key', 'the payload is given by its payload key, 64 hexadecimal digits'),
    new Option(
      '--record <number>',
      'the payload is the record of a file with this number, from 1 (of lines, empty ones count)',
    ).argParser(whole(1, 1e12)),
    saltOption(),
    ...formatOptions('the file of --record'),
  ]
}

function expectOption(): Option {
  return new Option('--expect <what>', 'what the proof should show').choices(['member', 'absent'])
}

function saltOption(): Option {
  return new Option('--salt <file>', 'a file with the salt: 64 hexadecimal digits (openssl rand -hex 32)')
}
