import type { ComponentChildren } from 'preact'

interface Props {
  /** Anchor of the section, and suffix of the panel's class `panel-<id>`. */
  readonly id: string
  readonly title: string
  /** Introduction of one or two sentences: the panel's content and its importance. */
  readonly lead?: ComponentChildren
  /** Controls at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** Shows a section of the page, in which every panel puts its content. */
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

/** Explains why a panel is still empty, and how the visitor can fill it. */
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

/** Scrolls to a panel, and moves the keyboard focus there. @param id - of the panel */
export function bringIntoView(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' })
  moveFocus(`${id}-title`)
}

/** Moves the focus to a heading, which a screen reader then reads aloud. @param id - of the heading */
export function moveFocus(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true })
}
