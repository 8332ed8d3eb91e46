import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, service } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
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
    ['dark', 360],
    ['light', 1440],
    ['light', 768],
    ['dark', 1440],
    ['light', 360],
    ['dark', 768],
  ] as const
).slice(0, isLarge ? 6 : 1)

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

/** Makes a name and a key for it, as a person does who has a new account; resolves with what the page says to type. */
async function madeKey(page: Page, hostname: string): Promise<string> {
  await page.getByRole('link', { name: 'New name' }).click()
  await page.getByLabel('Name', { exact: true }).fill(hostname)
  await page.getByRole('button', { name: 'Make the name' }).click()
  await page.getByRole('link', { name: 'Make a key for it' }).click()
  await page.getByLabel('What is it for?').fill('router')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByText('curl', { exact: true }).click()
  return page.locator('code', { hasText: 'curl -u' }).innerText()
}

const update = async (command: string): Promise<string> => {
  const [, credentials = '', url = ''] = /-u '([^']+)' -A '[^']+' '([^']+)'/.exec(command) ?? []
  const headers = {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    'user-agent': 'me/1.0 me@example.com',
  }
  return (await fetch(`${url}&myip=192.0.2.77`, { headers })).text()
}

describe('a person', () => {
  it('has a name on the router within twelve requests after the link, and sees the first update come', async () => {
    const at = await service()
    const { page, problems, strangers } = await openPage(browser, at.console.replace(/#.*/, ''))
    let requests = 0
    page.on('request', (request) => void (request.resourceType() === 'document' && requests++))
    await page.goto(at.console)
    await page.reload()
    expect(await page.evaluate('location.hash')).toBe('')
    await page.goto('about:blank')
    requests = 0
    await page.goto(at.console)
    await page.getByRole('button', { name: 'Open' }).click()
    const command = await madeKey(page, 'router.example.test')
    expect(await page.getByText('Waiting for the first update').isVisible()).toBe(true)

    expect(await update(command)).toBe('good 192.0.2.77\n')
    await page.locator('#live').getByText('good 192.0.2.77').waitFor()
    expect(requests + 1).toBeLessThanOrEqual(12)
    expect(await page.evaluate('document.cookie')).toBe('')
    expect([problems, strangers.filter((one) => !one.startsWith(at.url))]).toEqual([[], []])
  })

  it('does all of that without JavaScript', async () => {
    const at = await service()
    const { page } = await signedIn(at, { javaScriptEnabled: false })
    const command = await madeKey(page, 'router.example.test')
    expect(await update(command)).toBe('good 192.0.2.77\n')
    await page.getByRole('link', { name: 'To the key' }).click()
    expect(await page.locator('#live').innerText()).toContain('good 192.0.2.77')
    await page
      .getByRole('link', { name: 'router.example.test' })
      .or(page.getByRole('link', { name: 'Names' }))
      .first()
      .click()
    await page.getByRole('link', { name: 'router.example.test' }).click()
    await page.getByLabel('Value of record 2').fill('192.0.2.78')
    await page.getByRole('button', { name: 'Review the changes' }).click()
    expect(await page.locator('ins').innerText()).toContain('192.0.2.78')
    await page.getByRole('button', { name: 'Publish' }).click()
    expect(await page.locator('.address').allInnerTexts()).toEqual(['192.0.2.77', '192.0.2.78'])
    await page.getByRole('link', { name: 'Undo' }).first().click()
    await page.getByRole('button', { name: 'Review the changes' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    expect(await page.locator('.address').allInnerTexts()).toEqual(['192.0.2.77'])
    await page.getByRole('link', { name: 'Zones' }).click()
    await page.getByRole('link', { name: 'example.test' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as a zone file' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('example.test.zone')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('needs no pointer', async () => {
    const at = await service()
    const { page } = await openPage(browser, `${at.url}/`)
    /** Goes on with Tab until this has the focus. */
    const to = async (name: string): Promise<void> => {
      for (let n = 0; n < 60; n++) {
        const label = await page.evaluate(
          "(() => { const e = document.activeElement; return e.labels?.[0]?.innerText ?? e.getAttribute('aria-label') ?? e.innerText ?? '' })()",
        )
        if (label === name) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not lead to ${name}`)
    }
    const type = async (name: string, text: string): Promise<void> => {
      await to(name)
      await page.keyboard.type(text)
    }
    const press = async (name: string): Promise<void> => {
      await to(name)
      await page.keyboard.press('Enter')
      await page.waitForLoadState()
    }
    await type('Account', at.account)
    await type('Password', at.accountPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Names' }).waitFor()
    await press('New name')
    await page.getByRole('heading', { name: 'New name' }).waitFor()
    await type('Name', 'keys.example.test')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'keys.example.test' }).waitFor()
    await type('Value of record 1', '192.0.2.44')
    await press('Review the changes')
    await page.getByRole('heading', { name: 'Review: keys.example.test' }).waitFor()
    await press('Publish')
    await page.locator('.address').getByText('192.0.2.44').waitFor()
    await type('Value of record 1', 'x')
    await press('Review the changes')
    await page.locator('#errors').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('errors')
  })
})

describe('the console', () => {
  it('has its own policy on each page, without a message, and stands in no frame', async () => {
    const at = await service()
    const { page, problems, strangers } = await signedIn(at)
    for (const lead of Object.values(STATES)) await lead(page, at)
    // An error has its status, which the browser reports.
    expect(problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
    expect(strangers.filter((one) => !one.startsWith(at.url))).toEqual([])

    const frame = await openPage(browser, `${at.url}/v1/docs`, { bypassCSP: true })
    await frame.page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${at.url}/console/sign-in' }))`,
    )
    await eventually(() => frame.problems.some((one) => one.includes('frame-ancestors'))).toBe(true)
  })
})
