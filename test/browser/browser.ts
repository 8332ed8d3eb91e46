import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { onTestFinished } from 'vitest'
import { ROOT } from '../e2e/processes.ts'

const CHROMIUM = process.env['HOLDFAST_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
/** Where the screenshots of this run are. */
export const SCREENSHOTS =
  process.env['HOLDFAST_TEST_SCREENSHOTS'] ?? join(ROOT, 'node_modules/.cache/screenshots')

/** Debian's Chromium. Names resolve to loopback where a test maps them. */
export async function openBrowser(...rules: readonly string[]): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(
      `there is no ${CHROMIUM}; apt-get install --no-install-recommends chromium, or set HOLDFAST_TEST_CHROMIUM`,
    )
  // Chromium refuses to run its sandbox as root. No host but loopback is asked.
  const mapped = [...rules, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost'].join(',')
  mkdirSync(SCREENSHOTS, { recursive: true })
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', `--host-resolver-rules=${mapped}`],
  })
}

export interface Opened {
  readonly page: Page
  readonly context: BrowserContext
  /** Messages of the console and errors of the page. */
  readonly problems: readonly string[]
  /** Requests to anything but the page's own origin. */
  readonly strangers: readonly string[]
}

/** A page in a context of its own, which ends with the test. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext(options)
  onTestFinished(async () => context.close())
  const page = await context.newPage()
  const [problems, strangers]: [string[], string[]] = [[], []]
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()),
  )
  page.on('pageerror', (error) => problems.push(error.message))
  page.on(
    'request',
    (request) =>
      !request.url().startsWith(url) && !request.url().startsWith('data:') && strangers.push(request.url()),
  )
  await page.goto(url)
  return { page, context, problems, strangers }
}
