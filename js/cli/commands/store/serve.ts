import { collect, type Runs, Subcommand, whole } from '../parts.js'
import { databaseOption, policyOption, timeoutOption } from './options.js'

export function serveCommand(runs: Runs): Subcommand {
  return new Subcommand('serve')
    .summary('answers questions over HTTP')
    .description(
      'Answers questions over HTTP, read-only, with a page about it at /docs and figures for Prometheus at /metrics. Without a token, for programs of this machine only.',
    )
    .addOption(databaseOption())
    .addOption(timeoutOption())
    .option(
      '--host <address>',
      'the address to listen on; any but 127.0.0.1, ::1 and localhost needs a token',
      '127.0.0.1',
    )
    .option('-p, --port <number>', '0 picks a free port', whole(0, 65_535), 8787)
    .addOption(
      policyOption('answer by this trust policy: what is stored is verified again, and the file is followed'),
    )
    .option('--token-file <file>', 'a file with the token that requests must send')
    .option('--allow-origin <origin>', 'also let web pages of this origin ask; repeatable', collect())
    .option(
      '--connections <number>',
      'how many questions PostgreSQL answers at the same time',
      whole(1, 64),
      4,
    )
    .examples(
      ['alvarium store serve', 'http://127.0.0.1:8787/docs, for this machine'],
      [
        'alvarium store serve --host 0.0.0.0 --token-file token --database postgres://reader@db.example/alvarium',
        'for others, with a token; put a proxy with TLS in front',
      ],
    )
    .action(runs(() => import('../../store/serve.js')))
}
