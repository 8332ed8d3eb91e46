import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { isLarge } from '../large.ts'
import { openBrowser, openPage } from './browser.ts'
import { consoleService, signIn, STATES } from './console-states.ts'
import { lookingAt, type Look, lookOptions } from './look.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

const ALL_LOOKS: readonly Look[] = [
  ['dark', 360],
  ['light', 1440],
  ['light', 768],
  ['dark', 1440],
  ['light', 360],
  ['dark', 768],
]
const LOOKS = ALL_LOOKS.slice(0, isLarge ? 6 : 1)

describe('each page of the console', () => {
  it.each(LOOKS)('has no fault that axe finds, and fits, in %s at %i pixels', async (...one) => {
    const at = await consoleService()
    const { page, problems, strangers } = await openPage(browser, `${at.url}/`, lookOptions(one))
    const look = lookingAt(page, one)
    await look('sign-in')
    await signIn(page, at)
    await page.getByRole('heading', { name: 'Names' }).waitFor()
    for (const [name, lead] of Object.entries(STATES)) {
      await lead(page, at)
      await look(name)
    }
    expect(strangers).toEqual([])
    // An error has its status, which the browser reports.
    expect(problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
  })

  it.each(['en', 'de'])('fits between phones and tablets too, also a long trail, in %s', async (language) => {
    const at = await consoleService()
    const { page } = await openPage(browser, `${at.url}/`)
    await signIn(page, at)
    await page.goto(`${at.url}/console/language/${language}?back=/console/names`)
    await page.goto(`${at.url}/console/names?choose=yes`)
    for (const name of ['home', 'office']) await page.locator(`[value="example.test/${name}"]`).check()
    await page.locator('#act').selectOption('address')
    await page.locator('#value').fill('192.0.2.9')
    // The review, and then what it shows.
    await page.locator('main form button').last().click()
    await page.locator('main form[action$="/apply"] button').click()
    await page.locator('main form[action$="/undo"]').waitFor()
    for (const path of ['trail', 'names/example.test/home']) {
      await page.goto(`${at.url}/console/${path}`)
      for (const width of [641, 768, 801, 912]) {
        await page.setViewportSize({ width, height: 900 })
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect.soft(overflow, `${path} at ${width}`).toBe(0)
      }
    }
  })

  it('stands in no frame', async () => {
    const at = await service()
    const frame = await openPage(browser, `${at.url}/v1/docs`, { bypassCSP: true })
    await frame.page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${at.url}/console/sign-in' }))`,
    )
    await eventually(() => frame.problems.some((one) => one.includes('frame-ancestors'))).toBe(true)
  })
})
