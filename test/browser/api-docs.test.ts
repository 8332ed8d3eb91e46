import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../e2e/processes.ts'
import { violations } from './axe.ts'
import { oneIn } from '../large.ts'
import { openBrowser, openPage, SCREENSHOTS } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

describe('the page of the management API', () => {
  it.each(
    oneIn(2, [
      ['dark', 360],
      ['light', 1280],
    ] as const),
  )('has no fault that axe finds, and fits, in %s at %i pixels', async (colorScheme, width) => {
    const { url } = await service()
    const { page, strangers } = await openPage(browser, `${url}/v1/docs`, {
      // The policy does not hold for what a test evaluates.
      bypassCSP: true,
      colorScheme,
      viewport: { width, height: 800 },
    })
    // One of each form: axe takes minutes for all of them.
    await page.evaluate("document.querySelector('#changeRRSets details').open = true")

    expect(await violations(page)).toEqual([])
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect([overflow, strangers]).toEqual([0, []])
    await page
      .locator('#changeRRSets')
      .screenshot({ path: join(SCREENSHOTS, `api-${colorScheme}-${width}.png`) })
  })

  it('has its style under its own policy, and leads from the list to an operation', async () => {
    const { url } = await service()
    const { page, problems, strangers } = await openPage(browser, `${url}/v1/docs`)
    const styleOf = async (property: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('pre')).${property}`)
    expect(await styleOf('whiteSpace')).toContain('pre-wrap')

    await page.getByRole('link', { name: 'Delete a name with everything at it' }).first().click()
    expect(new URL(page.url()).hash).toBe('#deleteName')
    expect(await page.locator('#deleteName').isVisible()).toBe(true)
    expect([problems, strangers]).toEqual([[], []])
  })
})
