import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, serveStore, service, storeWith } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { openBrowser, openPage } from './browser.ts'
import { makeAccount } from './invited.ts'
import { lockOut } from './lock-out.ts'
import { lookingAt, type Look, lookOptions } from './look.ts'
import { oldProofService } from './old-proofs.ts'
import { addAuthenticator } from './second-factor.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => browser.close())

const SMALL: Look = ['dark', 360]

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
    const at = await oldProofService()
    const url = atLocalhost(at)
    const { page, context, problems } = await openPage(browser, `${url}/console/sign-in`, lookOptions(SMALL))
    const look = lookingAt(page, SMALL)
    const own = await phone(context, page)
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Name of the device').fill('my phone')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const first = await page.locator('pre').innerText()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Names' }).waitFor()

    await page.getByRole('link', { name: 'Account' }).click()
    at.ageProofs()
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await look('proof-with-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const second = await page.locator('pre').innerText()
    expect(second).not.toBe(first)
    const [code = ''] = second.split('\n')
    await page.getByRole('button', { name: 'Sign out' }).click()

    await own.verifies(false)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('alert').getByText('The browser did not use a passkey').waitFor()
    await look('sign-in-without-passkey')
    await own.verifies(true)
    await signInBy(page, at.account, at.accountPassword)
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await look('second-factor-with-passkey')
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
    'account add olga basic',
    'account add acme basic',
    'account set olga operator=yes',
  )
  const [, password = ''] = /has the password (\S+)/.exec(printed[2] ?? '') ?? []
  const at = await serveStore(folder, '--console', 'http://localhost')
  const opened = await openPage(browser, `${atLocalhost(at)}/console/sign-in`, look)
  const { page } = opened
  await signInBy(page, 'olga', password)
  await page.getByRole('link', { name: 'Operator' }).click()
  await page.getByText('An operator needs a second factor').waitFor()
  await page.getByRole('link', { name: 'To the account' }).click()
  await addAuthenticator(page)
  await page.getByRole('link', { name: 'To the account' }).click()
  return { ...opened, at, url: atLocalhost(at) }
}

const ACCOUNT = 'acme'

/** What leads to each page of an operator, from the state before it or from anywhere. */
const STATES: Readonly<Record<string, (page: Page, url: string) => Promise<unknown>>> = {
  operator: async (page, url) => page.goto(`${url}/console/operator`),
  'block-review': async (page) => {
    await page.getByLabel('A DDNS key, an account, or a hostname').fill(ACCOUNT)
    await page.getByRole('button', { name: 'Block …' }).click()
    await page.getByRole('heading', { name: `Block ${ACCOUNT}?` }).waitFor()
  },
  'new-link': async (page, url) => {
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByRole('row', { name: ACCOUNT }).waitFor()
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.locator('pre .copy').waitFor()
    await lockOut(url)
  },
  'operator-tables': async (page) => {
    await page.getByRole('link', { name: 'Operator' }).last().click()
    for (const name of ['Blocks', 'Locked out after failed logins', 'Invitations'])
      await page.getByRole('table', { name }).waitFor()
  },
  'operator-refused': async (page) => {
    await page.getByLabel('Works for').fill('always')
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.locator('#errors').waitFor()
  },
  'operator-accounts': async (page, url) => page.goto(`${url}/console/operator/accounts`),
  'operator-accounts-acme': async (page) => page.getByRole('link', { name: ACCOUNT }).click(),
  'operator-plans': async (page, url) => page.goto(`${url}/console/operator/plans`),
  'operator-plans-refused': async (page) => {
    await page.getByLabel('Name of the plan').fill('<plan>')
    await page.getByRole('button', { name: 'New plan' }).click()
    await page.locator('#errors').waitFor()
  },
  'operator-plans-basic': async (page, url) => page.goto(`${url}/console/operator/plans/basic`),
  'account-of-operator': async (page, url) => page.goto(`${url}/console/account`),
}
const LOOKS: readonly Look[] = [SMALL, ['light', 1440]]

describe('the pages of operators', () => {
  it.each(LOOKS.slice(0, isLarge ? 2 : 1))(
    'have no fault that axe finds, and fit, in %s at %i pixels',
    async (...one) => {
      const { page, url, problems } = await operator(lookOptions(one))
      const look = lookingAt(page, one)
      for (const [name, lead] of Object.entries(STATES)) {
        await lead(page, url)
        await look(name)
      }
      // An error has its status, which the browser reports.
      expect(problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
    },
  )

  it('invite a person, who makes an account with the link', async () => {
    const { page, url } = await operator({})
    await page.goto(`${url}/console/operator`)
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('pre .copy').innerText()
    expect(link).toMatch(/^http:\/\/localhost:\d+\/console\/invitation#/)
    const guest = await openPage(browser, link)
    await makeAccount(guest.page, 'newcomer')
    await guest.page
      .getByRole('link', { name: 'Sign out' })
      .or(guest.page.getByRole('button', { name: 'Sign out' }))
      .waitFor()
    await page.goto(`${url}/console/operator/accounts?search=new`)
    await page.getByRole('link', { name: 'newcomer' }).waitFor()
  })
})
