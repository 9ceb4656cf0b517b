import { type Alteration, annotation, content, first, turned } from './alterations.js'

/** Alterations of messages, which then differ from the signed bytes. */
export const FORGED: [string, Alteration][] = [
  [
    'the action is another',
    (message) => {
      message['action'] = message['action'] === 'create' ? 'publish' : 'create'
      delete message.content['previousKey']
    },
  ],
  [
    'the first bit of the signature is turned',
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
  ['the host is another', content('host', 'edge-8')],
  ['the host is empty', content('host', '')],
  ['the host has a space more', content('host', 'edge-7 ')],
  ['the layer is another', content('layer', 'os')],
  [
    'the timestamp is a microsecond later',
    ({ content }) => {
      content['timestamp'] = String(content['timestamp']).replace(/.Z$/, (end) =>
        end === '0Z' ? '1Z' : '0Z',
      )
    },
  ],
  [
    'the timestamp says the same in another way',
    ({ content }) => {
      content['timestamp'] = String(content['timestamp']).replace('Z', '+00:00')
    },
  ],
  [
    'an id is another',
    (message) => {
      annotation(message)['id'] = `0${'0'.repeat(25)}`
    },
  ],
  ['a kind is another', first('kind', 'tls')],
  ['a tag is another', first('tag', 'v2')],
  ['a tag is empty', first('tag', '')],
  ['an answer is turned to false', first('isSatisfied', false)],
  [
    'an answer is turned to true',
    (message) => {
      annotation(message, 1)['isSatisfied'] = true
    },
  ],
  [
    'an annotation is left out',
    ({ content }) => {
      content.annotations.pop()
    },
  ],
  [
    'all annotations are left out',
    ({ content }) => {
      content.annotations = []
    },
  ],
  [
    'an annotation is given twice',
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
    'two annotations have changed places',
    ({ content }) => {
      content.annotations.reverse()
    },
  ],
  [
    'two annotations have changed answers',
    (message) => {
      first('isSatisfied', false)(message)
      annotation(message, 1)['isSatisfied'] = true
    },
  ],
  [
    'characters moved from tag to kind',
    (message) => {
      first('tag', '1')(message)
      first('kind', 'srcv')(message)
    },
  ],
]
