import { Option } from 'commander'
import { HASHES } from '../../foundation/model/bundle.js'
import { collect, type Runs, receivedOption, Subcommand, trustOptions } from './parts.js'
import { witnessesOption } from './store/options.js'

export function packCommand(runs: Runs): Subcommand {
  return new Subcommand('pack')
    .summary('makes one file with evidence that verifies anywhere, verifies it, exports it')
    .description(
      'Makes an evidence pack: a ZIP file with messages, and with all that it takes to verify them without you. Verifies one, and exports it.',
    )
    .addCommands(runs, makeCommand, verifyCommand, exportCommand)
}

function makeCommand(runs: Runs): Subcommand {
  return new Subcommand('make')
    .summary('makes an evidence pack')
    .description(
      [
        'Makes an evidence pack from messages, and from the leases, checkpoints and sets among them. Verifies everything. Of a',
        'payload, it takes the messages about it and about what it was made from; of a set, those about the payloads in it;',
        'otherwise all. Never overwrites a file.',
      ].join(' '),
    )
    .argument('<source...>', 'files and folders with messages, or messages themselves')
    .requiredOption('-o, --out <file>', 'the new file')
    .option('--payload <file>', 'evidence about this payload, and what it was made from')
    .option('--payload-key <key>', 'the same by its payload key')
    .oneOf('--hash <hash>', 'the hash by which the payload has its key', HASHES, 'sha256')
    .option(
      '--log',
      'evidence about all that a signer signed, in all of its runs: its checkpoints show that no message is missing',
    )
    .option(
      '--signer <name>',
      'with --log: the signer, by its name in --trust or its key id, if there are several',
    )
    .option(
      '--from <time>',
      'with --log: the beginning of the time (default: as far back as checkpoints reach)',
    )
    .option('--until <time>', 'with --log: its end (default: the last checkpoint)')
    .option('--set <file>', 'evidence about the payloads of a set: its message. Needs its --list')
    .option(
      '--list <file>',
      'the list of a set that the payload was made from: with a proof for each payload in it, the score goes by them all; repeatable',
      collect(),
    )
    .option('--query <text>', 'what the messages are about, in your words, which readers see as such')
    .option('--seal <file>', 'with a payload: a private key that signs that these are all bundles about it')
    .option('--score <file>', 'a scoring policy as JSON, for example {"version":1,"weights":{"tls":2}}')
    .addOptions(trustOptions())
    .examples(
      [
        'alvarium pack make messages.ndjson --payload reading.json -k public.key -o evidence.zip',
        'all that was said about a reading',
      ],
      [
        'alvarium pack make archive/ --payload reading.json --trust trust.json --seal store.key -o evidence.zip',
        'the same, with your word that it is all that you have',
      ],
      [
        'alvarium pack make messages.ndjson set.json --payload model.bin --list set.list -k public.key -o evidence.zip',
        'a model and the training set that it was made from',
      ],
      [
        'alvarium pack make messages.ndjson checkpoints.ndjson --log -k public.key -o march.zip',
        'everything that was signed in March, and nothing left out',
      ],
    )
    .action(runs(() => import('../pack/make.js')))
}

function verifyCommand(runs: Runs): Subcommand {
  return new Subcommand('verify')
    .summary('verifies an evidence pack')
    .description(
      'Verifies everything in an evidence pack again, by your own public keys or trust policy. Without them, it shows at most that the pack is consistent with itself: anyone can make one with their own keys.',
    )
    .argument('<pack>', 'the file, or - for standard input')
    .option('--score <file>', 'your own scoring policy as JSON (default: the one in the pack)')
    .option('--itself', 'ask whether the pack is consistent with itself, and no more: needs no public key')
    .option('--list', 'show who said what: signer, host, time, action, and each yes and no')
    .option('--json', 'write JSON; with --list, all statements, and otherwise the first 1,000')
    .addOptions(trustOptions(), witnessesOption('witnesses that must have seen the logs in it'))
    .addOption(receivedOption())
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything in it verifies by your keys or policy, and nothing is known to be missing
  1  something does not verify or is missing, the file was altered, or its verdict is not what its messages give
  2  it could not be decided (no key or policy of yours, an unknown signer, nothing in it, no pack, a ZIP file that another program has
     written anew)`,
    )
    .examples(
      ['alvarium pack verify evidence.zip --trust trust.json', 'what does it show, to me?'],
      [
        'alvarium pack verify evidence.zip --itself',
        'is it consistent with itself? Its author may have made up all of it',
      ],
    )
    .action(runs(() => import('../pack/verify.js')))
}

function exportCommand(runs: Runs): Subcommand {
  return new Subcommand('export')
    .summary('writes what an evidence pack says in another standard')
    .description(
      [
        'Verifies an evidence pack, and writes the bundles that verify as in-toto statements (JSON lines of DSSE envelopes, which you',
        'sign), as Sigstore bundles (a new folder with a file for each, which you sign), or as W3C PROV-JSON. None can carry the',
        'signatures of the bundles: keep the pack. Never overwrites a file.',
      ].join(' '),
    )
    .argument('<pack>', 'the file, or - for standard input')
    .addOption(
      new Option('--as <form>', 'the standard')
        .choices(['in-toto', 'sigstore', 'prov'])
        .makeOptionMandatory(),
    )
    .requiredOption('-o, --out <file>', 'the new file; with sigstore, the new folder')
    .option('--signing-key <file>', 'with in-toto and sigstore: your private key, of Ed25519 or P-256')
    .option(
      '--payload <file>',
      'with sigstore: a payload that is a file, whose name the statements about it get; repeatable',
      collect(),
    )
    .addOptions(trustOptions(), receivedOption())
    .addHelpText('after', EXPORT_HELP)
    .examples(
      [
        'alvarium pack export evidence.zip --as in-toto --signing-key private.key -k public.key -o evidence.intoto.jsonl',
        'for tools of software supply chains',
      ],
      [
        'alvarium pack export evidence.zip --as sigstore --signing-key private.key -k public.key --payload model.bin -o bundles',
        'for cosign verify-blob-attestation',
      ],
      [
        'alvarium pack export evidence.zip --as prov -k public.key -o evidence.prov.json',
        'for tools that draw and query provenance',
      ],
    )
    .action(runs(() => import('../pack/export.js')))
}

const EXPORT_HELP = `
Exit codes: those of alvarium pack verify.`
