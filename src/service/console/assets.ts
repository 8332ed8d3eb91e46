import { createHash } from 'node:crypto'
import { CONSOLE_STYLE } from './style.ts'

/** What a page loads. */
export interface Asset {
  readonly path: string
  readonly type: string
  readonly text: string
}

const ENDINGS = { css: 'css', javascript: 'js' } as const

/** With a path that changes with its content. */
export function assetOf(name: string, kind: keyof typeof ENDINGS, text: string): Asset {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return {
    path: `/console/${name}-${digest}.${ENDINGS[kind]}`,
    type: `text/${kind}; charset=utf-8`,
    text,
  }
}

export const STYLESHEET = assetOf('style', 'css', CONSOLE_STYLE)

/** A disc with a tick. */
const DISC =
  '<circle cx="16" cy="16" r="15" fill="#1a7f37"/><path d="M9 16.5l5 5 9-10" fill="none" stroke="#fff" stroke-width="4" ' +
  'stroke-linecap="round" stroke-linejoin="round"/>'

export const ICON: Asset = {
  path: '/console/icon.svg',
  type: 'image/svg+xml',
  text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${DISC}</svg>`,
}
