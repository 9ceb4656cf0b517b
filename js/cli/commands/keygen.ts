import { Command, Option } from 'commander'
import { examples, type Runs } from './parts.js'

/** Makes a key pair. */
export function keygenCommand(runs: Runs): Command {
  return new Command('keygen')
    .summary('makes a key pair')
    .description('Makes a key pair, in two files. Files that are there are never written over.')
    .addOption(
      new Option('-a, --algorithm <name>', 'whose key')
        .choices(['Ed25519', 'P-256', 'secp256k1', 'SM2'])
        .default('Ed25519'),
    )
    .addOption(
      new Option(
        '-f, --form <form>',
        'how it is written (default: "hex" for Ed25519, "pem" for others)',
      ).choices(['hex', 'seed', 'pem', 'der', 'jwk']),
    )
    .option('-o, --out <file>', 'of the private key, readable by you alone', 'private.key')
    .option('-p, --public <file>', 'of the public key, to be handed to those who verify', 'public.key')
    .addHelpText(
      'after',
      `
Forms:
  hex   what the Alvarium SDKs in Go, Java and Python read (Ed25519)
  seed  what the one in Rust reads as private.key (Ed25519)
  pem   PKCS#8 and SubjectPublicKeyInfo, as OpenSSL writes them; der is the same in bytes
  jwk   JSON Web Keys (not for SM2)
${examples(
  ['alvarium keygen', 'private.key and public.key'],
  [
    'alvarium keygen -a P-256 -o edge-7.pem -p edge-7.pub.pem',
    'for a broker or a verifier that wants NIST curves',
  ],
)}`,
    )
    .action(runs(() => import('../keys/keygen.js')))
}
