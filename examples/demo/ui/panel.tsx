import type { ComponentChildren } from 'preact'

interface Props {
  /** The section's anchor, and the panel's class: `panel-<id>`. */
  readonly id: string
  readonly title: string
  /** One or two sentences: what is to be seen here, and why it matters. */
  readonly lead?: ComponentChildren
  /** Controls at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A section of the page: every panel is one. */
export function Panel({ id, title, lead, aside, children }: Props) {
  return (
    <section class={`panel panel-${id}`} id={id} aria-labelledby={`${id}-title`}>
      <header class="panel-head">
        <div>
          <h2 id={`${id}-title`} tabIndex={-1}>
            {title}
          </h2>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {aside && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  )
}

/** Says that there is nothing yet, and what to do about it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  )
}

/** Goes to a panel, and moves the focus there for the keyboard. @param id - of the panel */
export function bringIntoView(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' })
  moveFocus(`${id}-title`)
}

/** Moves the focus to a heading, whose words a screen reader then says. @param id - of the heading */
export function moveFocus(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true })
}
