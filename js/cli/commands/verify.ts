import {
  controlMessageOptions,
  formatOptions,
  mayLoseOption,
  type Runs,
  receivedOption,
  SOURCE,
  Subcommand,
  topicOptions,
  trustOptions,
} from './parts.js'

export function verifyCommand(runs: Runs): Subcommand {
  return new Subcommand('verify')
    .summary('verifies messages: are they genuine, and what do they say?')
    .description(
      [
        'Verifies messages: bundles, batches and bundles extracted from a batch, in JSON or CBOR, and messages of the',
        'Alvarium SDKs for Go, Java, Rust and Python. A file has one message, one message per line, or a JSON array.',
        'CBOR can be raw bytes, hexadecimal or base64.',
      ].join(' '),
    )
    .argument('[source...]', SOURCE)
    .option(
      '--payload <file>',
      'the payload the messages must be about: the whole file, or its records one by one',
    )
    .option('-q, --quiet', 'show only messages that do not verify, and the total')
    .option('--json', 'write JSON, one line per message')
    .addOptions(trustOptions(), controlMessageOptions(), receivedOption(), formatOptions('--payload'))
    .addOptions(topicOptions(mayLoseOption()))
    .exitCodes(
      'everything verified',
      'something did not',
      'it could not be decided (unknown signer, unreadable file, signed after --received-at)',
    )
    .examples(
      ['alvarium verify messages.ndjson --key public.key', 'each line of a file'],
      [
        'alvarium verify message.json -k keys/ --payload reading.json',
        'is it about this payload, and signed by someone whose public key is in keys/?',
      ],
      [
        'alvarium verify archive/ --trust trust.json',
        'may each signer say this, and was it in time? (alvarium trust shows how to write trust.json)',
      ],
      [
        'tail -f audit.ndjson | alvarium verify -k public.key --quiet',
        'show only messages that were altered',
      ],
      [
        'alvarium verify --url ws://localhost:9001 --topic alvarium/# -k public.key',
        'messages of a topic, as they arrive',
      ],
    )
    .action(runs(() => import('../verify/run.js')))
}

export function inspectCommand(runs: Runs): Subcommand {
  return new Subcommand('inspect')
    .summary('shows what a message says and which bytes are signed')
    .description(
      [
        'Shows the parts of a message: its fields, the signed bytes, the signature, the proof. Knows bundles, batches, sets and proofs',
        'about them, leases, checkpoints, messages of other SDKs, and evidence packs. Verifies nothing.',
      ].join(' '),
    )
    .argument('[source]', 'a file, the message itself, or - for standard input (the default)')
    .option('--json', 'write JSON')
    .examples(
      ['alvarium inspect message.json', 'what does it say, and what was signed?'],
      ['mosquitto_sub -t alvarium -C 1 | alvarium inspect', 'the next message of a topic'],
    )
    .action(runs(() => import('../inspect/run.js')))
}
