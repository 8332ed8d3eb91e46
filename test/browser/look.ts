import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { violations } from './axe.ts'
import { SCREENSHOTS } from './browser.ts'

export type Look = readonly [colorScheme: 'dark' | 'light', width: number]

/** What the browser needs for a look. */
export const lookOptions = ([colorScheme, width]: Look) =>
  ({ colorScheme, viewport: { width, height: 900 } }) as const

/** Looks at what the page shows now: axe finds no fault, and the page is not wider than the window. */
export const lookingAt =
  (page: Page, [colorScheme, width]: Look) =>
  async (name: string): Promise<void> => {
    expect.soft(await violations(page), name).toEqual([])
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect.soft(overflow, name).toBe(0)
    const file = `console-${name}-${colorScheme}-${width}.png`
    await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true })
  }
