import { ACTIONS } from '../../foundation/model/bundle.js'
import {
  collect,
  deadLettersOption,
  leasesOption,
  listeningOptions,
  mayLoseOption,
  type Runs,
  Subcommand,
  trustOptions,
} from './parts.js'

export function listenCommand(runs: Runs): Subcommand {
  return new Subcommand('listen')
    .summary('verifies and shows the messages of a topic (like tail -f)')
    .description(
      'Subscribes to a topic of a broker. Verifies and shows each message, also those of the other Alvarium SDKs.',
    )
    .argument('<url>', 'the URL of the broker: ws, wss, mqtt or mqtts')
    .argument('<topic>', 'a topic filter; may have + and #')
    .someOf('--action <action>', 'only these actions; repeatable', ACTIONS)
    .option('--kind <kind>', 'only bundles with an annotation of this kind; repeatable', collect())
    .option('--host <name>', 'only bundles from this host; repeatable', collect())
    .option('--satisfied', 'only bundles whose annotations (of these kinds) are all satisfied')
    .option('--unsatisfied', 'only bundles with an unsatisfied annotation')
    .option('--json', 'write JSON, one line per bundle')
    .option('--raw', 'write the messages unchanged, with checkpoints and new leases, to store or pipe them')
    .option(
      '-o, --out <file>',
      'with --raw or --json, append to this file: a message is acknowledged when its line is on the disk',
    )
    .addOptions(trustOptions(), leasesOption(), deadLettersOption(), listeningOptions(), mayLoseOption())
    .addHelpText('after', LISTEN_HELP)
    .examples(
      ['alvarium listen ws://localhost:9001 alvarium/# -k public.key', 'all bundles, as they arrive'],
      [
        'alvarium listen mqtts://broker:8883 site/+ -k keys/ --unsatisfied --kind tls',
        'bundles whose data did not arrive over TLS',
      ],
      [
        'alvarium listen ws://localhost:9001 alvarium -k public.key --json -n 100 > hundred.ndjson',
        'the next 100 bundles, as JSON',
      ],
      [
        'alvarium listen ws://localhost:9001 alvarium -t trust.json --client-id archive-1 --raw -o archive.ndjson',
        'all messages, for alvarium verify and alvarium audit; run it again to continue after a stop',
      ],
    )
    .action(runs(() => import('../listen/run.js')))
}

const LISTEN_HELP = `
Messages that do not verify are reported on standard error; the command keeps running. With --dead-letters
they are kept in a file, which alvarium inspect, verify and store ingest read.
With --trust, leases are taken from <topic>/signers too; with --raw, checkpoints. After a restart with
--client-id, give the leases that came before: --leases takes them out of the archive.
With --client-id, standard output is a terminal: what is in a pipe is acknowledged, and lost if a process is
killed. Use --out, or alvarium store ingest --url. With --out, a last line that a kill has torn is cut off; a
power cut loses nothing that was acknowledged, on a disk that keeps what it was told to flush.`
