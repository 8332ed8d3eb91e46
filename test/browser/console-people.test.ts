import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, serveStore, service, storeWith } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { violations } from './axe.ts'
import { openBrowser, openPage, SCREENSHOTS } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

/** A passkey belongs to a name: an address has none. */
const atLocalhost = ({ url }: Pick<Service, 'url'>): string => url.replace('127.0.0.1', 'localhost')

async function signInBy(page: Page, account: string, password: string): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A phone with passkeys, in Chromium; `forget` loses all of them. */
async function phone(context: BrowserContext, page: Page) {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verifies: async (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    forget: async () => cdp.send('WebAuthn.clearCredentials', { authenticatorId }),
  }
}

describe('a passkey', () => {
  it('is made, signs in, proves its person, and is replaced when the phone is lost', async () => {
    const at = await service()
    const url = atLocalhost(at)
    const { page, context, problems } = await openPage(browser, `${url}/console/sign-in`)
    const own = await phone(context, page)
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Name of the device').fill('my phone')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const [code = ''] = (await page.locator('pre').innerText()).split('\n')
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Names' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await own.verifies(false)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('alert').getByText('The browser has not used a passkey').waitFor()
    await own.verifies(true)
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Names' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await own.forget()
    await signInBy(page, at.account, at.accountPassword)
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    const row = page.getByRole('row', { name: /my phone/ })
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('heading', { name: 'Names' }).waitFor()
    expect(problems).toEqual([])
  })

  it('is not offered where the browser runs no script', async () => {
    const at = await service()
    const options = { javaScriptEnabled: false }
    const { page } = await openPage(browser, `${atLocalhost(at)}/console/sign-in`, options)
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false)
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.locator('noscript p').waitFor()
  })
})

/** An operator with a second factor, at the console of a service with a store. */
async function operator(look: object) {
  const { folder, printed } = await storeWith(
    'plan add basic',
    'account add root basic',
    'account add acme basic',
    'account set root operator=yes',
  )
  const [, password = ''] = /has the password (\S+)/.exec(printed[2] ?? '') ?? []
  const at = await serveStore(folder, '--console', 'http://localhost')
  const opened = await openPage(browser, `${atLocalhost(at)}/console/sign-in`, look)
  const { page } = opened
  await signInBy(page, 'root', password)
  await page.getByRole('link', { name: 'Operator' }).click()
  await page.getByText('An operator needs a second factor').waitFor()
  await page.getByRole('link', { name: 'To the account' }).click()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = Secret.fromBase32(await page.locator('dd .copy').innerText())
  await page.getByLabel('Code').fill(new TOTP({ secret }).generate())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('link', { name: 'To the account' }).click()
  return { ...opened, at, url: atLocalhost(at) }
}

describe('the pages of operators', () => {
  it.each([['dark', 360] as const, ['light', 1440] as const].slice(0, isLarge ? 2 : 1))(
    'have no fault that axe finds, and fit, in %s at %i pixels',
    async (colorScheme, width) => {
      const look = { bypassCSP: true, colorScheme, viewport: { width, height: 900 } }
      const { page, url, problems } = await operator(look)
      for (const path of [
        'operator',
        'operator/accounts',
        'operator/accounts/acme',
        'operator/plans/basic',
        'account',
      ]) {
        await page.goto(`${url}/console/${path}`)
        expect.soft(await violations(page), path).toEqual([])
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect.soft(overflow, path).toBe(0)
        const file = `console-${path.replaceAll('/', '-')}-${colorScheme}-${width}.png`
        await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true })
      }
      // An error has its status, which the browser reports.
      expect(problems.filter((one) => !one.includes('status of 403'))).toEqual([])
    },
  )

  it('invite a person, who makes an account with the link', async () => {
    const { page, url } = await operator({})
    await page.goto(`${url}/console/operator`)
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('pre .copy').innerText()
    expect(link).toMatch(/^http:\/\/localhost:\d+\/console\/invitation#/)
    const guest = await openPage(browser, link)
    await guest.page.getByLabel('Name of the account').fill('newcomer')
    await guest.page.getByLabel('New password', { exact: true }).fill('a long password')
    await guest.page.getByLabel('New password again').fill('a long password')
    await guest.page.getByRole('button', { name: 'Make the account' }).click()
    await guest.page
      .getByRole('link', { name: 'Sign out' })
      .or(guest.page.getByRole('button', { name: 'Sign out' }))
      .waitFor()
    await page.goto(`${url}/console/operator/accounts?search=new`)
    await page.getByRole('link', { name: 'newcomer' }).waitFor()
  })
})
