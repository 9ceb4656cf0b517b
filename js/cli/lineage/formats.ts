/** Formats of a picture. They have a separate file so that `--help` does not load the drawing code. */
export const PICTURE_FORMATS = ['mermaid', 'svg'] as const

export type PictureFormat = (typeof PICTURE_FORMATS)[number]
