import type { Page } from 'playwright-core'
import { serveStore, storeWith } from '../e2e/processes.ts'

export const NEW_PASSWORD = 'a long password'

/** A service, and two links with which its operator invites a person: to a shared zone, and without a zone. */
export async function invited() {
  const add = 'invitation add basic --console http://localhost'
  const { folder, printed } = await storeWith(
    'plan add basic',
    'account add olga basic',
    'zone add example.test olga shared=yes members-only=yes',
    `${add} zone=example.test`,
    add,
  )
  const { url } = await serveStore(folder, '--console', 'http://localhost')
  // On loopback the command does not know the port of the service.
  const [toZone = '', withoutZone = ''] = printed
    .slice(-2)
    .map((one) => one.trim().replace('http://localhost', ''))
  return { url, toZone, withoutZone }
}

/** Fills in the form that an invitation leads to. */
export async function makeAccount(page: Page, account: string): Promise<void> {
  await page.getByLabel('Name of the account').fill(account)
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await page.getByLabel('Repeat the new password').fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Make the account' }).click()
}
