import { type Alteration, annotation, content, first, turned } from './alterations.js'

/** Alterations of messages, which then differ from the signed bytes. */
export const FORGED: [string, Alteration][] = [
  [
    'the action is changed',
    (message) => {
      message['action'] = message['action'] === 'create' ? 'publish' : 'create'
      delete message.content['previousKey']
    },
  ],
  [
    'the first bit of the signature is flipped',
    ({ content }) => {
      content['signature'] = turned(content['signature'])
    },
  ],
  ['the signature is all zeros', content('signature', '0'.repeat(128))],
  [
    'the key is of another payload',
    ({ content }) => {
      content['key'] = turned(content['key'])
    },
  ],
  ['the hash is none', content('hash', 'none')],
  ['the host is changed', content('host', 'edge-8')],
  ['the host is empty', content('host', '')],
  ['the host has an added space', content('host', 'edge-7 ')],
  ['the layer is changed', content('layer', 'os')],
  [
    'the timestamp is a microsecond later',
    ({ content }) => {
      content['timestamp'] = String(content['timestamp']).replace(/.Z$/, (end) =>
        end === '0Z' ? '1Z' : '0Z',
      )
    },
  ],
  [
    'the timestamp states the same time in another form',
    ({ content }) => {
      content['timestamp'] = String(content['timestamp']).replace('Z', '+00:00')
    },
  ],
  [
    'an id is changed',
    (message) => {
      annotation(message)['id'] = `0${'0'.repeat(25)}`
    },
  ],
  ['a kind is changed', first('kind', 'tls')],
  ['a tag is changed', first('tag', 'v2')],
  ['a tag is empty', first('tag', '')],
  ['an answer is changed to false', first('isSatisfied', false)],
  [
    'an answer is changed to true',
    (message) => {
      annotation(message, 1)['isSatisfied'] = true
    },
  ],
  [
    'an annotation is removed',
    ({ content }) => {
      content.annotations.pop()
    },
  ],
  [
    'all annotations are removed',
    ({ content }) => {
      content.annotations = []
    },
  ],
  [
    'an annotation is repeated',
    (message) => {
      message.content.annotations.push(annotation(message))
    },
  ],
  [
    'an annotation is added',
    (message) => {
      message.content.annotations.push({ ...annotation(message), kind: 'tpm' })
    },
  ],
  [
    'two annotations are swapped',
    ({ content }) => {
      content.annotations.reverse()
    },
  ],
  [
    'the answers of two annotations are swapped',
    (message) => {
      first('isSatisfied', false)(message)
      annotation(message, 1)['isSatisfied'] = true
    },
  ],
  [
    'characters are moved from tag to kind',
    (message) => {
      first('tag', '1')(message)
      first('kind', 'srcv')(message)
    },
  ],
]
