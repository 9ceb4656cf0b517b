import { Command } from 'commander'
import { examples, formatOptions, type Runs, SOURCE, topicOptions, trustedKeys } from './parts.js'

/** Verifies messages. */
export function verifyCommand(runs: Runs): Command {
  const command = new Command('verify')
    .summary('is it genuine, and what does it say?')
    .description(
      [
        'Verifies messages: bundles, batches, bundles out of a batch, in JSON or CBOR, and those of the Alvarium',
        'SDKs in Go, Java, Rust and Python. They come one a line, one in a file, or in a JSON array; CBOR as bytes,',
        'hexadecimal or base64.',
      ].join(' '),
    )
    .argument('[source...]', SOURCE)
    .addOption(trustedKeys())
    .option('--payload <file>', 'what the messages should be about: all of it, or its records one by one')
    .option('-q, --quiet', 'show only what does not verify, and the sum')
    .option('--json', 'for programs, a line for each message')
  for (const option of formatOptions('--payload')) command.addOption(option)
  for (const option of topicOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything verified
  1  something did not
  2  it could not be told: a signer that is not known, a file that cannot be read
${examples(
  ['alvarium verify messages.ndjson --key public.key', 'every line of a file'],
  [
    'alvarium verify message.json -k keys/ --payload reading.json',
    'is it about this payload, by somebody in that folder?',
  ],
  ['tail -f audit.ndjson | alvarium verify -k public.key --quiet', 'only what somebody altered'],
  ['alvarium verify --url ws://localhost:9001 --topic alvarium/# -k public.key', 'what comes over a topic'],
)}`,
    )
    .action(runs(() => import('../verify/run.js')))
}
