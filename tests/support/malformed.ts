import { type Alteration, annotation, content, first } from './alterations.js'
import type { LooseMessage } from './messages.js'

const removals = ['signature', 'signer', 'key', 'hash', 'host', 'layer', 'timestamp', 'annotations'].map(
  (member): [string, Alteration] => [
    `${member} is left out`,
    (message) => {
      delete message.content[member]
    },
  ],
)
const annotationRemovals = ['id', 'kind', 'tag', 'isSatisfied'].map((member): [string, Alteration] => [
  `an annotation has no ${member}`,
  (message) => {
    delete annotation(message)[member]
  },
])
const nulls = ['signature', 'signer', 'key', 'hash', 'host', 'layer', 'timestamp', 'annotations'].flatMap(
  (member): [string, Alteration][] =>
    [null, 7, true, {}, []]
      .filter((value) => !(member === 'annotations' && Array.isArray(value)))
      .map((value) => [`${member} is ${JSON.stringify(value)}`, content(member, value)]),
)

/** Messages that no signer could have signed. */
export const MALFORMED: [string, Alteration][] = [
  ...removals,
  ...annotationRemovals,
  ...nulls,
  [
    'the action is missing',
    (message) => {
      delete message['action']
    },
  ],
  [
    'the action is unknown',
    (message) => {
      message['action'] = 'delete'
    },
  ],
  [
    'the action is in capitals',
    (message) => {
      message['action'] = 'CREATE'
    },
  ],
  [
    'the messageType is missing',
    (message) => {
      delete message['messageType']
    },
  ],
  [
    'the messageType is unknown',
    (message) => {
      message['messageType'] = 'alvarium.AnnotationBundle/2'
    },
  ],
  [
    'the content is missing',
    (message) => {
      delete (message as Partial<LooseMessage>).content
    },
  ],
  [
    'the content is a text',
    (message) => {
      Object.assign(message, { content: JSON.stringify(message.content) })
    },
  ],
  [
    'the content is an array',
    (message) => {
      Object.assign(message, { content: [message.content] })
    },
  ],
  [
    'the message has an unknown member',
    (message) => {
      message['version'] = 1
    },
  ],
  ['the content has an unknown member', content('comment', 'trust me')],
  [
    'the content has a member called __proto__',
    (message) => {
      Object.defineProperty(message.content, '__proto__', { value: 1, enumerable: true })
    },
  ],
  ['an annotation has an unknown member', first('weight', 9)],
  [
    'the signature is in capitals',
    ({ content }) => {
      content['signature'] = String(content['signature']).toUpperCase()
    },
  ],
  [
    'the signature is short',
    ({ content }) => {
      content['signature'] = String(content['signature']).slice(2)
    },
  ],
  [
    'the signature is long',
    ({ content }) => {
      content['signature'] = `${content['signature']}00`
    },
  ],
  ['the signature is not hexadecimal', content('signature', 'g'.repeat(128))],
  [
    'the signer is in capitals',
    ({ content }) => {
      content['signer'] = `A${String(content['signer']).slice(1)}`
    },
  ],
  ['the signer is short', content('signer', 'ab')],
  [
    'the key is in lower case',
    ({ content }) => {
      content['key'] = `a${String(content['key']).slice(1)}`
    },
  ],
  ['the key is short', content('key', 'AB')],
  ['the key is of another hash', content('hash', 'md5')],
  ['the hash is unknown', content('hash', 'sha1')],
  ['the host is too long', content('host', 'h'.repeat(256))],
  ['the layer is unknown', content('layer', 'cloud')],
  ['the timestamp is no time', content('timestamp', 'yesterday')],
  ['the timestamp is a day that does not exist', content('timestamp', '2026-02-30T10:00:00Z')],
  ['the timestamp has no zone', content('timestamp', '2026-11-20T10:00:00')],
  ['an id is no ULID', first('id', 'one')],
  [
    'an id is in lower case',
    (message) => {
      annotation(message)['id'] = String(annotation(message)['id']).toLowerCase()
    },
  ],
  ['a kind is empty', first('kind', '')],
  ['a kind is too long', first('kind', 'k'.repeat(256))],
  ['a tag is too long', first('tag', 't'.repeat(1025))],
  ['an answer is 1', first('isSatisfied', 1)],
  ['an answer is a text', first('isSatisfied', 'true')],
  [
    'an annotation is null',
    ({ content }) => {
      content.annotations.push(null as never)
    },
  ],
  [
    'there are 257 annotations',
    (message) => {
      message.content.annotations = Array(257).fill(annotation(message))
    },
  ],
]
