import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'

/** What the app of a person shows now, who has scanned the secret on this page. */
export async function codeOf(page: Page): Promise<string> {
  const secret = Secret.fromBase32(await page.locator('dd .copy').innerText())
  return new TOTP({ secret }).generate()
}

/** Adds an authenticator app to the account whose page this is. */
export async function addAuthenticator(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  await page.getByLabel('Code').fill(await codeOf(page))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
}
