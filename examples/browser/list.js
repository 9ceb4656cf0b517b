/** Shows the received messages, newest first, as plain text: anyone can publish to the topic. */

/** @param {HTMLElement} list @param {import('alvarium-sdk').VerifiedBundle} bundle */
export function showBundle(list, { action, key, host, timestamp, signer, annotations }) {
  list.prepend(
    item('verified', [
      [element('strong', '✓ verified'), ` ${action} at ${new Date(timestamp).toLocaleTimeString()}`],
      annotations.map(({ kind, isSatisfied }) =>
        element('span', `${kind} ${isSatisfied ? '✓' : '✗'}`, isSatisfied ? 'yes' : 'no'),
      ),
      [element('code', key)],
      [element('span', `on ${host}, signed by ${signer}`, 'quiet')],
    ]),
  )
}

/** @param {HTMLElement} list @param {import('alvarium-sdk').AlvariumError} error */
export function showRejection(list, error) {
  list.prepend(item('rejected', [[element('strong', '✗ rejected'), ` ${error.code}`], [error.message]]))
}

/** @param {string} className @param {(string | Node)[][]} paragraphs */
function item(className, paragraphs) {
  const li = element('li', '', className)
  for (const children of paragraphs) {
    const p = element('p', '')
    p.append(...children)
    li.append(p)
  }
  return li
}

/** @param {string} name @param {string} text @param {string} [className] */
function element(name, text, className = '') {
  const made = document.createElement(name)
  made.textContent = text
  if (className) made.className = className
  return made
}
