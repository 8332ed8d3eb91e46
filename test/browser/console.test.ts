import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, service } from '../e2e/processes.ts'
import { openBrowser, openPage } from './browser.ts'

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
