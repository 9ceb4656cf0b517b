import { type Runs, Subcommand } from './parts.js'

export function keygenCommand(runs: Runs): Subcommand {
  return new Subcommand('keygen')
    .summary('makes a key pair')
    .description('Makes a key pair in two files. Never overwrites a file.')
    .oneOf('-a, --algorithm <name>', 'the algorithm', ['Ed25519', 'P-256', 'secp256k1', 'SM2'], 'Ed25519')
    .oneOf('-f, --form <form>', 'the file format (default: "hex" for Ed25519, "pem" for others)', [
      'hex',
      'seed',
      'pem',
      'der',
      'jwk',
    ])
    .option('-o, --out <file>', 'the file for the private key; only you can read it', 'private.key')
    .option(
      '-p, --public <file>',
      'the file for the public key; give it to everyone who verifies',
      'public.key',
    )
    .addHelpText('after', KEYGEN_HELP)
    .examples(
      ['alvarium keygen', 'private.key and public.key'],
      [
        'alvarium keygen -a P-256 -o edge-7.pem -p edge-7.pub.pem',
        'for a broker or a verifier that needs NIST curves',
      ],
    )
    .action(runs(() => import('../keys/keygen.js')))
}

const KEYGEN_HELP = `
Forms:
  hex   for the Alvarium SDKs in Go, Java and Python (Ed25519)
  seed  for the private.key of the Alvarium SDK in Rust (Ed25519)
  pem   PKCS#8 and SubjectPublicKeyInfo, as OpenSSL writes them; der is the same in binary
  jwk   JSON Web Keys (not for SM2)`

export function keyCommand(runs: Runs): Subcommand {
  const show = new Subcommand('show')
    .summary('shows key id, half (private or public), algorithm and form')
    .description(
      'Shows the key id that messages name, and whether the file has the private or the public half, its algorithm and its form.',
    )
    .argument('<file...>', 'a file with a private or a public key')
    .option('--seed', 'the file has the bare private seed of the Rust SDK')
    .option('--json', 'write JSON, one line per file')
    .examples(
      ['alvarium key show public.key', 'whom would I trust with this public key?'],
      ['alvarium key show --seed rust/private.key', 'a bare seed looks like a public key'],
    )
    .action(runs(() => import('../keys/show.js')))
  return new Subcommand('key').summary('shows key files').description('Shows key files.').addCommand(show)
}
