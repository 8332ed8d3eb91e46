import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../e2e/processes.ts'
import { openBrowser, openPage } from './browser.ts'
import { invited, makeAccount, NEW_PASSWORD } from './invited.ts'
import { countingServer } from './request-count.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

/** Makes a name and a key for it, as a person does who has a new account; resolves with what the page says to type. */
async function madeKey(page: Page, hostname: string): Promise<string> {
  await page.getByLabel('Name', { exact: true }).fill(hostname)
  await page.getByRole('button', { name: 'Make the name' }).click()
  await page.getByRole('link', { name: 'Make a key for it' }).click()
  await page.getByLabel('What is it for?').fill('router')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByText('curl', { exact: true }).click()
  return recipeIn(page)
}

/** What the page says to type, where it is seen. */
async function recipeIn(page: Page): Promise<string> {
  const recipe = page.locator('code', { hasText: 'curl -u' })
  await recipe.waitFor()
  return recipe.innerText()
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
  it('has a name on the router within twelve requests after the link: every page, form and file, and the update', async () => {
    const { url: own, toZone } = await invited()
    const { url, requests } = await countingServer(own)
    const { page, problems, strangers } = await openPage(browser, `${url}${toZone}`)
    expect(await page.evaluate('location.hash')).toBe('')
    await makeAccount(page, 'newcomer')
    const command = await madeKey(page, 'router')
    expect(await page.getByText('Waiting for the first update').isVisible()).toBe(true)

    expect(await update(command)).toBe('good 192.0.2.77\n')
    await page.locator('#live').getByText('good 192.0.2.77').waitFor()
    // A page that waits asks again every two seconds: only the last time is part of the way.
    const isAgain = ({ destination }: { readonly destination: string | undefined }) => destination === 'empty'
    expect(requests.some(isAgain)).toBe(true)
    const counted = requests.filter((one) => !isAgain(one)).map(({ method, path }) => `${method} ${path}`)
    expect(counted).toContain('GET /nic/update?hostname=router.example.test&myip=192.0.2.77')
    expect(counted.length + 1, counted.join('\n')).toBeLessThanOrEqual(12)
    expect(await page.evaluate('document.cookie')).toBe('')
    expect([problems, strangers.filter((one) => !one.startsWith(url))]).toEqual([[], []])
  })

  it('sees in the list what a router has sent, without a reload', async () => {
    const { url, toZone } = await invited()
    const { page } = await openPage(browser, `${url}${toZone}`)
    await page.clock.install()
    await makeAccount(page, 'newcomer')
    const command = await madeKey(page, 'router')
    await page.getByRole('link', { name: 'Names', exact: true }).click()
    await page.locator('#rows').getByText('no address yet').waitFor()
    await update(command)
    await page.clock.fastForward(31_000)
    await page.locator('#rows').getByText('192.0.2.77').waitFor()
  })

  it('goes from the link to a zone file without JavaScript', async () => {
    const { url, withoutZone: link } = await invited()
    const { page } = await openPage(browser, `${url}${link}`, { javaScriptEnabled: false })
    await page.getByLabel('Code of the link').fill(`${url}${link}`)
    await makeAccount(page, 'newcomer')
    await page.getByRole('link', { name: 'Zones' }).click()
    await page.getByLabel('Domain').fill('newcomer.test')
    await page.getByRole('button', { name: 'Make the zone' }).click()
    await page.getByRole('heading', { name: 'newcomer.test' }).waitFor()
    await page.getByRole('link', { name: 'Names', exact: true }).click()
    await page.getByRole('link', { name: 'New name' }).click()
    const command = await madeKey(page, 'router.newcomer.test')
    expect(await update(command)).toBe('good 192.0.2.77\n')
    await page.getByRole('link', { name: 'To the key' }).click()
    expect(await page.locator('#live').innerText()).toContain('good 192.0.2.77')
    await page.getByRole('link', { name: 'Names', exact: true }).click()
    await page.getByRole('link', { name: 'router.newcomer.test' }).click()
    await page.getByLabel('Value of record 2').fill('192.0.2.78')
    await page.getByRole('button', { name: 'Review the changes' }).click()
    expect(await page.locator('ins').innerText()).toContain('192.0.2.78')
    await page.getByRole('button', { name: 'Publish' }).click()
    expect(await page.locator('.address').allInnerTexts()).toEqual(['192.0.2.77', '192.0.2.78'])
    await page.getByRole('link', { name: 'Undo' }).first().click()
    await page.getByRole('button', { name: 'Review the changes' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    expect(await page.locator('.address').allInnerTexts()).toEqual(['192.0.2.77'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Account').fill('newcomer')
    await page.getByLabel('Password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Zones' }).click()
    await page.getByRole('link', { name: 'newcomer.test' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as a zone file' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('newcomer.test.zone')
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^router\S*\s.*\bA\s+192\.0\.2\.77$/m)
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
    await press('Make a key for it')
    await page.getByRole('heading', { name: 'New key for a router' }).waitFor()
    await type('What is it for?', 'router')
    await press('Make the key')
    await page.getByRole('heading', { name: 'New key: router' }).waitFor()
    await press('curl')
    expect(await update(await recipeIn(page))).toBe('good 192.0.2.77\n')
    await page.locator('#live').getByText('good 192.0.2.77').waitFor()
  })
})
