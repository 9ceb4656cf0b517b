import { Option } from 'commander'
import {
  collect,
  pictureOptions,
  type Runs,
  receivedOption,
  type Subcommand,
  scoringOption,
  whole,
} from '../parts.js'
import { asking, limitOption, listOptions, payloadArgument, payloadOptions, policyOption } from './options.js'

export function aboutCommand(runs: Runs): Subcommand {
  return asking('about', [payloadArgument()], [...payloadOptions(), policyOption()])
    .summary('tells what is known about a payload')
    .description(
      'Tells what was said about a payload: answers by kind, signers, hosts, and what it was made from.',
    )
    .examples(
      ['alvarium store about reading.json', 'the payload in a file'],
      [`alvarium store about ${KEY} --payload-key`, 'by its payload key'],
      ['alvarium store about 21.4 --payload-key --hash none', 'a payload that is its own payload key'],
    )
    .action(runs(() => import('../../store/about.js')))
}

const KEY = '2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824'

export function historyCommand(runs: Runs): Subcommand {
  return asking('history', [payloadArgument()], [...payloadOptions(), ...listOptions()])
    .summary('lists the bundles about a payload')
    .description('Lists the bundles about a payload, in the order in which they were stored.')
    .examples(['alvarium store history reading.json', 'who said what, and when?'])
    .action(runs(() => import('../../store/history.js')))
}

export function lineageCommand(runs: Runs): Subcommand {
  const options = [
    new Option('--up', 'what it was made from, and so on (the default)').conflicts('down'),
    new Option('--down', 'what was made from it: what a recall concerns'),
    limitOption(1_000, 100_000),
    new Option('--implied', 'also follow what messages of other SDKs imply, which nobody has signed'),
    ...pictureOptions(),
  ]
  return asking('lineage', [payloadArgument()], [...payloadOptions(), ...options])
    .summary('shows what a payload was made from, or what was made from it')
    .description('Follows a payload by what signers say in mutate, nearest first.')
    .examples(
      ['alvarium store lineage report.pdf', 'back to its sources'],
      ['alvarium store lineage sensor.json --down', 'what must be recalled?'],
      ['alvarium store lineage report.pdf --as svg -o lineage.svg', 'a picture for a report'],
    )
    .action(runs(() => import('../../store/lineage.js')))
}

export function scoreCommand(runs: Runs): Subcommand {
  const options = [
    scoringOption(),
    new Option('--min <percent>', 'exit with 1 if the score is lower').argParser(whole(0, 100)),
    new Option('--set <file>', 'a set that it was made from, near or far: its message; repeatable').argParser(
      collect(),
    ),
    new Option('--list <file>', 'the list of a --set: its payloads count as ancestors; repeatable').argParser(
      collect(),
    ),
    new Option(
      '-k, --key <file>',
      'a public key to trust for --set, or a folder of public keys; repeatable',
    ).argParser(collect()),
    policyOption('verify what is stored, and --set, by this trust policy: what it refuses does not count'),
    receivedOption(),
  ]
  return asking('score', [payloadArgument()], [...payloadOptions(), ...options])
    .summary('tells how far a payload can be trusted, and why')
    .description('Scores a payload by a scoring policy, with the annotations and ancestors behind the score.')
    .exitCodes(
      'the payload has a score, and it is not below --min',
      'the score is below --min',
      'it could not be decided (nothing was said, or not all of its ancestors are known)',
    )
    .examples(
      ['alvarium store score reading.json', 'how far, and why?'],
      ['alvarium store score reading.json --policy scoring.json --min 80', 'good enough?'],
      ['alvarium store score reading.json --trust trust.json', 'after a signer was revoked: by what is left'],
      [
        'alvarium store score model.bin --set set.json --list set.list -k public.key',
        'a model and its training set',
      ],
    )
    .action(runs(() => import('../../store/score.js')))
}

export function exportCommand(runs: Runs): Subcommand {
  return asking('export', [payloadArgument(false)], payloadOptions())
    .summary('writes messages as they were received')
    .description(
      'Writes messages, one on each line: they verify without the store. With --json, in base64 with the time at which each was received.',
    )
    .examples(
      ['alvarium store export reading.json > evidence.ndjson', 'those about a payload'],
      ['alvarium store export | alvarium verify --key public.key', 'all of them, verified again'],
    )
    .action(runs(() => import('../../store/export.js')))
}
