import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { fill } from '../bench/fill.ts'
import { median } from '../bench/report.ts'
import { scratch, serveStore } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { openBrowser } from './browser.ts'
import { signIn } from './sign-in.ts'

const NAMES = 10_000
const TIMES = 20

/** In milliseconds from the request: when the whole page was there, and when the browser first showed something. */
interface Seen {
  readonly answered: number
  readonly painted: number
}

const SEEN = `(() => {
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  const [request] = performance.getEntriesByType('navigation')
  return paint && { painted: paint.startTime, answered: request.responseEnd }
})()`

/** Of a page in a browser that has nothing of the console yet. */
async function seen(browser: Browser, url: string, secret: string): Promise<Seen> {
  const context = await browser.newContext()
  try {
    await context.addCookies([{ name: 'holdfast', value: secret, url }])
    const page = await context.newPage()
    await page.goto(url)
    // The policy of the page forbids `waitForFunction`.
    for (;;) {
      const found = (await page.evaluate(SEEN)) as Seen | undefined
      if (found !== undefined) return found
    }
  } finally {
    await context.close()
  }
}

/** In milliseconds, until the end of the answer. */
async function answerTime(url: string, apiKey: string): Promise<number> {
  const start = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  await answer.text()
  expect(answer.status).toBe(200)
  return performance.now() - start
}

it.skipIf(!isLarge)(`the first of ${NAMES} names are seen soon`, async () => {
  const { folder, apiKey } = fill(join(scratch(), 'store'), { names: NAMES, keys: 100 })
  const { url } = await serveStore(folder, '--console', 'http://localhost')
  const secret = await signIn(url, { key: apiKey }, 'Mozilla/5.0')
  const browser = await openBrowser()
  try {
    const [pages, answers]: [Seen[], number[]] = [[], []]
    // The first of each is for the caches.
    for (let nth = 0; nth <= TIMES; nth++) {
      answers.push(await answerTime(`${url}/v1/dns/records?limit=100`, apiKey))
      pages.push(await seen(browser, `${url}/console/names`, secret))
    }
    const middle = (times: readonly number[]): number => Math.round(median(times.slice(1)))
    const painted = middle(pages.map((one) => one.painted))
    const answered = middle(pages.map((one) => one.answered))
    const answer = middle(answers)
    console.log(`painted after ${painted} ms, answered after ${answered} ms, /v1 after ${answer} ms`)
    expect(painted).toBeLessThanOrEqual(1.5 * answer + 300)
  } finally {
    await browser.close()
  }
})
