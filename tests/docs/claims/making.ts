import { claimsOf } from './page.js'

/** Calls, and what they are made with: annotators, keys, streams, batches, pools. */
export const MAKING = [
  ...claimsOf('examples/guide/annotators.md', [
    [
      'the payload is exactly { "seed", "signature" }, and the signature verifies with that public key',
      'tests/annotators/builtin.test.ts',
      'finds it false with a member that nobody signed, or with one twice',
    ],
    [
      'It is not asked on mutate.',
      'tests/annotators/tls.test.ts',
      'answers for create, transit and publish, and is left out of mutate',
    ],
    [
      'To compute it, run in the folder: find -L . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum',
      'tests/artifacts/source-code.test.ts',
      'is satisfied by the checksum that find, sort and sha256sum make, of files alike and hidden ones too',
    ],
    [
      "An annotator checks the payload, unless the call passes an input under the annotator's kind.",
      'tests/annotators/custom.test.ts',
      'reaches the annotator of that kind alone',
    ],
    [
      'Lock files do not list everything. If one leaves something out, the answer is not satisfied.',
      'tests/artifacts/unasked.test.ts',
      'vulnerability is not satisfied, and says why, where it could not ask about',
    ],
    [
      'OSV is asked about that release: 1.22.0 for go 1.22',
      'tests/artifacts/vulnerability.test.ts',
      'asks about the Go that builds a module which needs nothing else: %s',
    ],
    [
      'after that time, reading stops',
      'tests/artifacts/source-code.test.ts',
      'stops when its answer would be late, where folders lead to each other in ever more ways, and in a large file',
    ],
    [
      'The SDK then logs the error and dispatches an annotatorerror event.',
      'tests/annotators/custom.test.ts',
      'because it %s, the answer is false, everybody is told and the call goes on',
    ],
  ]),
  ...claimsOf('examples/guide/keys.md', [
    [
      'a WebCrypto CryptoKeyPair, which need not be extractable',
      'tests/seal/signer.test.ts',
      'a private key that cannot be extracted signs',
    ],
    [
      'Both are read unchanged.',
      'tests/keys/ssh-keygen.test.ts',
      'of type %s are a pair, whatever their comment',
    ],
    [
      'A private key with a passphrase is rejected.',
      'tests/keys/openssh.test.ts',
      'is refused with a passphrase, and told how to take that off a copy',
    ],
    [
      '64 hexadecimal digits, or 32 bytes, are read as a public key unless you mark them as a seed.',
      'tests/keys/key-files.test.ts',
      'with a public key is never one to sign with, as readKey returns it',
    ],
    [
      'The SDK verifies each signature of a Signer before it publishes it.',
      'tests/seal/signer.test.ts',
      'the call rejects when it signs with another key than the one it names',
    ],
    [
      'A Signer must answer within signerTimeoutMs.',
      'tests/seal/signer.test.ts',
      'the call rejects when it does not answer within %s, and not before',
    ],
  ]),
  ...claimsOf('examples/guide/algorithms.md', [
    [
      'A message names no algorithm.',
      'tests/algorithms/messages.test.ts',
      'cannot be requested: a message does not name its algorithm',
    ],
    [
      'Private keys are read as PKCS#8 and SEC 1',
      'tests/algorithms/openssl.test.ts',
      'signs, read from %s, what OpenSSL takes',
    ],
    [
      'a public key verifies only under its own algorithm',
      'tests/algorithms/messages.test.ts',
      'fits no other key, not even one of the same number',
    ],
    [
      'You can trust a secp256k1 signer by its key id alone',
      'tests/algorithms/recovery.test.ts',
      'is recovered from the signature, here and in a pool',
    ],
    [
      "may answer in the store's own form: DER or r ‖ s, with either s",
      'tests/algorithms/signers.test.ts',
      'is published with the lower one, and nobody takes the higher',
    ],
    [
      'Otherwise they throw CORE_UNAVAILABLE.',
      'tests/core/first-use.test.ts',
      'signBytes of P-256 throws until loadAlgorithms() has been awaited, and says so',
    ],
    [
      'the log of a store, signRequest and signResponse | Ed25519 |',
      'tests/store/log.test.ts',
      'refuses what cannot sign a log, and signs none without a key',
    ],
    [
      'verifyRequest and verifyResponse with rfc9421, toInToto | Ed25519, P-256 |',
      'tests/packs/exports.test.ts',
      'are signed by a signer elsewhere, and by no key that verifiers of envelopes do not know',
    ],
  ]),
  ...claimsOf('examples/guide/streams.md', [
    [
      'one line per message, flushed before a call resolves',
      'tests/file/limits.test.ts',
      'has the messages that come together by one flush, and the names of new files',
    ],
    [
      'with another codec such as cbor(), calls reject with STREAM_REFUSED.',
      'tests/file/limits.test.ts',
      'names what was expected and what came',
    ],
    [
      'Full files are kept next to it.',
      'tests/file/file.test.ts',
      'begins another file before one is too long, and keeps the full ones',
    ],
    [
      'A path belongs to one stream at a time: a second stream gets STORE_LOCKED.',
      'tests/file/file.test.ts',
      'are refused in one process, whatever the path is called there, until the first is closed',
    ],
    [
      'On Linux and Windows this also holds across processes',
      'tests/file/file.test.ts',
      'are refused in two processes, until the first ends, however it does',
    ],
    [
      'A call resolves when all have accepted its message, and rejects when one has not.',
      'tests/streams/tee.test.ts',
      'reject it when one has not, with its reason; the others have the message all the same',
    ],
    [
      'It rejects with STREAM_REFUSED only if every stream that failed rejected it with that code',
      'tests/streams/tee.test.ts',
      'that say %s have refused for good only if each that failed has: %s',
    ],
    [
      'If publish throws, the call rejects with STREAM_FAILED. An AlvariumError keeps its own code',
      'tests/sdk/lifecycle.test.ts',
      'an AlvariumError of the stream stays what it is',
    ],
    [
      'sdk.close() waits until every message it passed to the stream has settled, then closes the stream.',
      'tests/sdk/lifecycle.test.ts',
      'closes the stream when that has said what became of every message',
    ],
    [
      'Messages keep the order of their calls, so a slow encode delays the ones behind it.',
      'tests/delivery/encoding.test.ts',
      'are published in the order of their calls, in whichever it answers',
    ],
  ]),
  ...claimsOf('examples/guide/batches.md', [
    [
      'puts them into messages of up to 256',
      'tests/delivery/many.test.ts',
      'puts %i payloads into batches of %i without waiting for their time',
    ],
    [
      'maxBundles: 256, maxDelayMs: 10, maxBytes: 1024 * 1024 } // these are the defaults',
      'tests/delivery/batches.test.ts',
      'unless told otherwise',
    ],
    [
      '256 bundles have 70 kB with one annotation each, and 150 kB with five; half of that with cbor().',
      'tests/delivery/many.test.ts',
      'makes of 256 payloads with %i annotations each a message of %i kB, and in CBOR half of one',
    ],
    [
      'With classic(), openSdk rejects batch, and createMany rejects with CODEC_FAILED.',
      'tests/classic/write.test.ts',
      'what classic messages cannot hold',
    ],
    [
      'gets its turn while a large batch is read.',
      'tests/verify/large.test.ts',
      'are taken out in parts by for await, with turns of the event loop between them',
    ],
    [
      'Receipts share one reading too',
      'tests/delivery/batch-messages.test.ts',
      'read it once between them, whoever is asked first',
    ],
  ]),
  ...claimsOf('examples/guide/pool.md', [
    [
      'If a worker dies, the pool replaces it, and another worker does its calls.',
      'tests/pool/deaths.test.ts',
      'its calls are done by another: the worker %s',
    ],
    [
      'Payloads that were transferred to the dead worker are lost, and their calls reject.',
      'tests/pool/deaths.test.ts',
      'a payload that was handed over to it is lost, which its call says',
    ],
    [
      'An array that is only a part of its buffer is copied, and stays',
      'tests/pool/sealing.test.ts',
      'stays when its buffer holds more, and when it is both sides of a mutation',
    ],
    [
      'so openSdk rejects a Signer or a CryptoKeyPair together with a pool',
      'tests/pool/sealing.test.ts',
      'refuses %s, which cannot be handed to workers',
    ],
    [
      'The file imports nothing',
      'tests/packaging/bundled.test.ts',
      'imports nothing and starts no worker itself: a bundler that follows it comes to an end',
    ],
    [
      'batches are always sealed in the calling thread',
      'tests/pool/lifecycle.test.ts',
      'does not seal batches: the thread of the caller does',
    ],
    [
      'If none is left, calls wait for the first three attempts in a row.',
      'tests/pool/restarts.test.ts',
      'calls are rejected when the third attempt fails, and later calls wait for the next attempt',
    ],
    [
      'The pool then tries again as long as it is open, at first after 0.1 to 0.2 s, later after 5 s.',
      'tests/pool/restarts.test.ts',
      'one is tried at a time, later each time, and all that are missing once it has started',
    ],
    [
      'After that, a call waits for one attempt that began after it, and rejects with CORE_FAILED if that fails too.',
      'tests/pool/restarts.test.ts',
      'the pool comes back after many failed starts: they %s',
    ],
  ]),
]
