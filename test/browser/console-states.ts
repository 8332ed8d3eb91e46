import type { Page } from 'playwright-core'
import type { Service } from '../e2e/processes.ts'
import { oldProofService, type OldProofService } from './old-proofs.ts'
import { codeOf } from './second-factor.ts'

/** A service with a mail server, which nobody has to reach, and one name that has an address. */
export async function consoleService(): Promise<OldProofService> {
  const at = await oldProofService('--mail-server', '127.0.0.1:1', '--mail-from', 'dns@example.test')
  await fetch(`${at.url}/nic/update?hostname=${at.hostnames[0]}&myip=192.0.2.7`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`,
      'user-agent': 'You router/1.0 you@example.test',
    },
  })
  return at
}

export async function signIn(page: Page, at: Pick<Service, 'account' | 'accountPassword'>): Promise<void> {
  await page.getByLabel('Account').fill(at.account)
  await page.getByLabel('Password').fill(at.accountPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Presses a button that leads to another page, and waits for it. */
async function press(page: Page, name: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()])
}

/** What leads to a page, from the state before it or from anywhere. */
type States = Readonly<Record<string, (page: Page, at: OldProofService) => Promise<unknown>>>

const OF_NAMES: States = {
  names: async (page, { url }) => page.goto(`${url}/console/names`),
  'nothing-found': async (page, { url }) => page.goto(`${url}/console/names?search=nothing`),
  'new-name': async (page, { url }) => page.goto(`${url}/console/names/new`),
  'new-name-refused': async (page) => {
    await page.getByLabel('Name', { exact: true }).fill('home.nowhere.test')
    await press(page, 'Make the name')
    await page.locator('#errors').waitFor()
  },
  name: async (page, { url }) => page.goto(`${url}/console/names/example.test/home`),
  review: async (page, { url }) => {
    await page.goto(`${url}/console/names/example.test/office`)
    await page.getByLabel('Value of record 1').fill('192.0.2.44')
    await press(page, 'Review the changes')
    await page.getByRole('heading', { name: 'Review: office.example.test' }).waitFor()
  },
  'review-refused': async (page, { url }) => {
    await page.goto(`${url}/console/names/example.test/office`)
    await page.getByLabel('Value of record 1').fill('192.0.2')
    await press(page, 'Review the changes')
    await page.locator('#errors').waitFor()
  },
}

const OF_ZONES: States = {
  zones: async (page, { url }) => page.goto(`${url}/console/zones`),
  'zones-refused': async (page) => {
    await page.getByLabel('Domain').fill('no domain')
    await press(page, 'Make the zone')
    await page.locator('#errors').waitFor()
  },
  zone: async (page, { url }) => page.goto(`${url}/console/zones/example.test`),
  'zone-checked': async (page) => {
    await page.getByRole('link', { name: 'Check the delegation' }).click()
    await page.getByRole('heading', { name: 'Delegation' }).waitFor()
  },
  'zone-refused': async (page) => {
    await page.getByLabel('Default TTL in seconds').fill('9999999999')
    await press(page, 'Save')
    await page.locator('#errors').waitFor()
  },
  import: async (page, { url }) => {
    await page.goto(`${url}/console/zones/example.test/import`)
    await page.getByLabel('Zone file').fill('www 60 IN A 192.0.2.99\n')
    await press(page, 'Preview')
    await page.getByRole('heading', { name: 'What the import changes' }).waitFor()
  },
  'import-refused': async (page, { url }) => {
    await page.goto(`${url}/console/zones/example.test/import`)
    await page.getByLabel('Zone file').fill('www 60 IN A nonsense\n')
    await press(page, 'Preview')
    await page.locator('#errors').waitFor()
  },
}

const OF_KEYS: States = {
  keys: async (page, { url }) => page.goto(`${url}/console/keys`),
  'new-key': async (page, { url }) => page.goto(`${url}/console/keys/new`),
  'new-key-refused': async (page) => {
    await page.getByLabel('What is it for?').fill('router in the hall')
    for (const box of await page.locator('[name="hostnames"]').all()) await box.uncheck()
    await press(page, 'Make the key')
    await page.locator('#errors').waitFor()
  },
  'key-made': async (page, { url }) => {
    await page.goto(`${url}/console/names/new`)
    await page.getByLabel('Name', { exact: true }).fill('router.example.test')
    await press(page, 'Make the name')
    await page.getByRole('link', { name: 'Make a key for it' }).click()
    await page.getByLabel('What is it for?').fill('router in the hall')
    await press(page, 'Make the key')
    await page.getByRole('heading', { name: 'How to enter it' }).waitFor()
    await page.getByText('FRITZ!Box').click()
  },
  key: async (page, { url, username }) => page.goto(`${url}/console/keys/ddns/${username}`),
  'new-api-key': async (page, { url }) => page.goto(`${url}/console/keys/new-api-key`),
  'api-key-made': async (page) => {
    await page.getByLabel('What is it for?').fill('certificates')
    await page.getByLabel('Only these types').fill('TXT')
    await press(page, 'Make the key')
    await page.getByRole('heading', { name: 'The API key' }).waitFor()
  },
  'new-tsig-key': async (page, { url }) => page.goto(`${url}/console/keys/new-tsig-key`),
  proof: async (page, { ageProofs }) => {
    await page.getByLabel('What is it for?').fill('nsupdate')
    ageProofs()
    await press(page, 'Make the key')
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  },
  'proof-refused': async (page) => {
    await page.getByLabel('Password').fill('a wrong password')
    await press(page, 'Continue')
    await page.locator('#errors').waitFor()
  },
  'tsig-key-made': async (page, { accountPassword }) => {
    await page.getByLabel('Password').fill(accountPassword)
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'The TSIG key' }).waitFor()
  },
}

/** The trail, one change of several names, and the way back from the trail. */
const OF_CHANGES: States = {
  trail: async (page, { url }) => page.goto(`${url}/console/trail`),
  choosing: async (page, { url }) => page.goto(`${url}/console/names?choose=yes`),
  'bulk-refused': async (page) => {
    await page.getByLabel('home.example.test').check()
    await page.getByLabel('TTL or address').fill('9999999999')
    await press(page, 'Review')
    await page.getByRole('heading', { name: 'Not done' }).waitFor()
  },
  'bulk-review': async (page, { url }) => {
    await page.goto(`${url}/console/names?choose=yes`)
    await page.getByLabel('home.example.test').check()
    await page.getByLabel('office.example.test').check()
    await page.getByLabel('What to do').selectOption({ label: 'replace the address' })
    await page.getByLabel('TTL or address').fill('192.0.2.9')
    await press(page, 'Review')
    await page.getByRole('heading', { name: 'This changes 2 records' }).waitFor()
  },
  'bulk-done': async (page) => {
    await press(page, 'Do it')
    await page.getByText('2 names are changed').waitFor()
  },
  'trail-undo': async (page, { url }) => {
    await page.goto(`${url}/console/trail`)
    await page.getByRole('link', { name: 'Undo everything' }).first().click()
    await page.getByRole('heading', { name: 'This changes 2 records' }).waitFor()
  },
}

const OF_ACCOUNT: States = {
  account: async (page, { url }) => page.goto(`${url}/console/account`),
  'password-refused': async (page) => {
    await page.getByLabel('Current password').fill('a wrong password')
    await page.getByLabel('New password', { exact: true }).fill('a long password')
    await page.getByLabel('Repeat the new password').fill('another password')
    await press(page, 'Change the password')
    await page.locator('#errors').waitFor()
  },
  passkey: async (page) => {
    await press(page, 'Add a passkey')
    await page.getByRole('button', { name: 'Make the passkey' }).waitFor()
  },
  authenticator: async (page, { url }) => {
    await page.goto(`${url}/console/account`)
    await press(page, 'Add an authenticator app')
    await page.getByAltText('The secret as a picture for the app').waitFor()
  },
  'authenticator-refused': async (page) => {
    await page.getByLabel('Code').fill('no code')
    await press(page, 'Confirm')
    await page.locator('#errors').waitFor()
  },
  'recovery-codes': async (page) => {
    await page.getByLabel('Code').fill(await codeOf(page))
    await press(page, 'Confirm')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  },
  'account-with-factor': async (page) => {
    await page.getByRole('link', { name: 'To the account' }).click()
    await page.getByText('10 recovery codes are left').waitFor()
  },
  'no-page': async (page, { url }) => page.goto(`${url}/console/nothing`),
}

/** Of a person who has not signed in, or not yet with the second factor. */
const OF_ENTRY: States = {
  'second-factor': async (page, at) => {
    await press(page, 'Sign out')
    await signIn(page, at)
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  },
  'second-factor-refused': async (page) => {
    await page.getByLabel('Code').fill('no code')
    await press(page, 'Continue')
    await page.locator('#errors').waitFor()
  },
  'sign-in-refused': async (page, { account }) => {
    await press(page, 'Sign out')
    await signIn(page, { account, accountPassword: 'a wrong password' })
    await page.locator('#errors').waitFor()
  },
  forgotten: async (page) => {
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('button', { name: 'Send the link' }).waitFor()
  },
  'forgotten-sent': async (page, { account }) => {
    await page.getByLabel('Account').fill(account)
    await press(page, 'Send the link')
    await page.getByText('a link is on its way').waitFor()
  },
  invitation: async (page, { url }) => page.goto(`${url}/console/invitation`),
  reset: async (page, { url }) => page.goto(`${url}/console/reset#${'a'.repeat(43)}`),
  'reset-refused': async (page) => {
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByLabel('Repeat the new password').fill('shorter')
    await press(page, 'Change the password')
    await page.locator('#errors').waitFor()
  },
  open: async (page, { url }) => page.goto(`${url}/console/open#${'a'.repeat(43)}`),
}

/** Each page that a person can be at, by what leads there: in this order, the last ones after the session. */
export const STATES: States = {
  ...OF_NAMES,
  ...OF_ZONES,
  ...OF_KEYS,
  ...OF_CHANGES,
  ...OF_ACCOUNT,
  ...OF_ENTRY,
}
