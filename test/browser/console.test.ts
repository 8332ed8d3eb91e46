import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, service } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { violations } from './axe.ts'
import { openBrowser, openPage, SCREENSHOTS } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

async function signedIn(at: Service, options: BrowserContextOptions = {}) {
  const opened = await openPage(browser, `${at.url}/`, options)
  await opened.page.getByLabel('Account').fill(at.account)
  await opened.page.getByLabel('Password').fill(at.accountPassword)
  await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await opened.page.getByRole('heading', { name: 'Names' }).waitFor()
  return opened
}

/** Each page that a person can be at, by what leads there. */
const STATES: Readonly<Record<string, (page: Page, at: Service) => Promise<unknown>>> = {
  names: async (page, { url }) => page.goto(`${url}/console/names`),
  'nothing-found': async (page, { url }) => page.goto(`${url}/console/names?search=nothing`),
  'new-name': async (page, { url }) => page.goto(`${url}/console/names/new`),
  'new-name-refused': async (page, { url }) => {
    await page.goto(`${url}/console/names/new`)
    await page.getByLabel('Name', { exact: true }).fill('home.nowhere.test')
    await page.getByRole('button', { name: 'Make the name' }).click()
  },
  name: async (page, { url }) => page.goto(`${url}/console/names/example.test/home`),
  review: async (page, { url }) => {
    await page.goto(`${url}/console/names/example.test/office`)
    await page.getByLabel('Value of record 1').fill('192.0.2.44')
    await page.getByRole('button', { name: 'Review the changes' }).click()
  },
  'review-refused': async (page, { url }) => {
    await page.goto(`${url}/console/names/example.test/office`)
    await page.getByLabel('Value of record 1').fill('192.0.2')
    await page.getByRole('button', { name: 'Review the changes' }).click()
  },
  zones: async (page, { url }) => page.goto(`${url}/console/zones`),
  zone: async (page, { url }) => page.goto(`${url}/console/zones/example.test`),
  import: async (page, { url }) => {
    await page.goto(`${url}/console/zones/example.test/import`)
    await page.getByLabel('Zone file').fill('www 60 IN A 192.0.2.99\n')
    await page.getByRole('button', { name: 'Preview' }).click()
  },
  'import-refused': async (page, { url }) => {
    await page.goto(`${url}/console/zones/example.test/import`)
    await page.getByLabel('Zone file').fill('www 60 IN A nonsense\n')
    await page.getByRole('button', { name: 'Preview' }).click()
  },
  keys: async (page, { url }) => page.goto(`${url}/console/keys`),
  'new-key': async (page, { url }) => page.goto(`${url}/console/keys/new`),
  'key-made': async (page, { url }) => {
    await page.goto(`${url}/console/names/new`)
    await page.getByLabel('Name', { exact: true }).fill('router.example.test')
    await page.getByRole('button', { name: 'Make the name' }).click()
    await page.getByRole('link', { name: 'Make a key for it' }).click()
    await page.getByLabel('What is it for?').fill('router in the hall')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('FRITZ!Box').click()
  },
  key: async (page, { url, username }) => page.goto(`${url}/console/keys/ddns/${username}`),
  'new-api-key': async (page, { url }) => page.goto(`${url}/console/keys/new-api-key`),
  trail: async (page, { url }) => page.goto(`${url}/console/trail`),
  account: async (page, { url }) => page.goto(`${url}/console/account`),
  'no-page': async (page, { url }) => page.goto(`${url}/console/nothing`),
}

const LOOKS = (
  [
    ['light', 1440],
    ['dark', 360],
    ['light', 768],
    ['dark', 1440],
    ['light', 360],
    ['dark', 768],
  ] as const
).slice(0, isLarge ? 6 : 2)

describe('each page of the console', () => {
  it.each(LOOKS)('has no fault that axe finds, and fits, in %s at %i pixels', async (colorScheme, width) => {
    const at = await service()
    await fetch(`${at.url}/nic/update?hostname=${at.hostnames[0]}&myip=192.0.2.7`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`,
        'user-agent': 'You router/1.0 you@example.test',
      },
    })
    const options = { bypassCSP: true, colorScheme, viewport: { width, height: 900 } } as const
    const out = await openPage(browser, `${at.url}/`, options)
    const { page, strangers } = await signedIn(at, options)
    const look = async (name: string, seen: Page): Promise<void> => {
      expect.soft(await violations(seen), name).toEqual([])
      const overflow = await seen.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect.soft(overflow, name).toBe(0)
      await seen.screenshot({
        path: join(SCREENSHOTS, `console-${name}-${colorScheme}-${width}.png`),
        fullPage: true,
      })
    }
    await look('sign-in', out.page)
    for (const [name, lead] of Object.entries(STATES)) {
      await lead(page, at)
      await look(name, page)
    }
    expect(strangers).toEqual([])
  })
})
