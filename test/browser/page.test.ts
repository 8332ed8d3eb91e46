import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Daemon, running } from '../e2e/daemon.ts'
import { scratch } from '../e2e/processes.ts'
import { answering, echo } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { oneIn } from '../large.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { violations } from './axe.ts'
import { openBrowser, openPage, SCREENSHOTS } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser('MAP evil.example 127.0.0.1', 'MAP nas.lan 127.0.0.1')
})
afterAll(async () => browser.close())

interface Surroundings {
  readonly url: string
  readonly daemon: Daemon
  readonly set: (reply: string, address?: string) => void
  readonly restart: () => Promise<void>
  readonly requests: () => number
}

/** A daemon with a page, a service that answers what the test sets, and a source of the address. */
const surroundings = async (...more: readonly string[]): Promise<Surroundings> => surroundingsIn({}, ...more)

/** The same, with this environment of the daemon. */
async function surroundingsIn(
  env: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<Surroundings> {
  const folder = scratch()
  let [reply, address, requests] = ['good', '203.0.113.9', 0]
  const service = await answering((target) => {
    requests += 1
    const names = (new URL(target, 'http://x').searchParams.get('hostname') ?? '').split(',')
    if (reply === 'hang up' || reply === 'never') return reply
    if (reply === 'hang up' || reply === 'never') return reply
    const line = reply === 'good' ? `good ${address}` : reply
    return {
      status: 200,
      body: reply.startsWith('good') ? names.map(() => `${line}\n`).join('') : `${line}\n`,
    }
  })
  const source = await echo(() => address)
  const settings = (port: string): readonly string[] => [
    '--server',
    service.replace(/\/$/, ''),
    '--username',
    'abc1234',
    '--name',
    'home',
    '--hostname',
    'home.example.test',
    '--hostname',
    'cabin.example.test',
    '--state-dir',
    folder,
    '--runtime-dir',
    folder,
    '--source',
    source,
    '--agreement',
    'one',
    '--allow',
    'documentation',
    '--no-ipv6',
    '--interval',
    '1h',
    '--page',
    port,
    ...more,
  ]
  const environment = { HOLDFAST_PASSWORD: 'canary-password', ...env }
  let daemon = running(settings('127.0.0.1:0'), environment)
  await daemon.line('the page is open')
  const port = new URL(/"url":"([^"]+)"/.exec(daemon.lines.join('\n'))?.[1] ?? '').port
  await daemon.line('nothing to do until then')
  return {
    url: `http://127.0.0.1:${port}/`,
    get daemon() {
      return daemon
    },
    set: (word, next = address) => {
      reply = word
      address = next
    },
    restart: async () => {
      daemon.child.kill('SIGTERM')
      await daemon.ended
      daemon = running(settings(`127.0.0.1:${port}`), environment)
      await daemon.line('the page is open')
    },
    requests: () => requests,
  }
}

/** Content security policies do not hold for what a test evaluates. */
const CONTEXT = { bypassCSP: true } as const
const text = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')

// biome-ignore format: a table
const APPEARANCES: readonly (readonly [name: string, reply: string, address: string, title: string, part: string])[] = [
  ['settled',   'good',                '',              'In order',                       'lead to this network'],
  ['stopped',   'badauth',             '203.0.113.10',  'Stopped until you act',          'What to do'],
  ['waiting',   '911',                 '203.0.113.10',  'Nothing is sent before the pause is over', 'next attempt'],
  ['unreached', 'hang up',             '203.0.113.10',  'The service is not reached',     'Holdfast tries again by itself'],
  ['different', 'good 198.51.100.9',   '203.0.113.10',  'The service has another address', 'look at the record there'],
  ['without address', 'good',          'not an address', 'No address to publish',        'No source can tell'],
  ['on its way', 'never',              '203.0.113.10',  'An update is on its way',        'is not here yet'],
]

describe('the page', () => {
  it.each(oneIn(2, APPEARANCES))(
    'says in words that an account is %s',
    async (name, reply, address, title, part) => {
      const at = await surroundings()
      const { page, problems, strangers } = await openPage(browser, at.url, CONTEXT)
      if (address !== '') {
        at.set(reply, address)
        await at.daemon.ask('poke')
      }
      await page.getByText(title, { exact: false }).first().waitFor()
      expect(await text(page, '#main')).toContain(part)
      if (name !== 'waiting')
        expect(await text(page, '#summary')).toContain(name === 'settled' ? 'All in order' : title)
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
      expect(await violations(page)).toEqual([])
      expect(problems).toEqual([])
      expect(strangers).toEqual([])
    },
  )

  it('says in words that an account is offline', async () => {
    const at = await surroundings('--offline')
    const { page } = await openPage(browser, at.url, CONTEXT)
    await page.getByText('Offline').first().waitFor()
    expect(await text(page, '#main')).toContain('They do not lead to this network')
    expect(await violations(page)).toEqual([])
  })

  const LOOKS = [
    ['light', 1000],
    ['light', 360],
    ['dark', 360],
    ['dark', 1000],
  ] as const
  it.each(oneIn(2, LOOKS))(
    'has no fault that axe finds, and fits, in %s at %i pixels',
    async (colorScheme, width) => {
      const at = await surroundings()
      at.set('badauth', '203.0.113.11')
      await at.daemon.ask('poke')
      const { page } = await openPage(browser, at.url, {
        ...CONTEXT,
        colorScheme,
        viewport: { width, height: 800 },
      })
      await page.getByText('Stopped until you act').first().waitFor()
      expect(await violations(page)).toEqual([])
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow).toBe(0)
      await page.screenshot({ path: join(SCREENSHOTS, `${colorScheme}-${width}.png`), fullPage: true })
    },
  )

  it('shows a change as it happens, without a reload, and an event for it', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, at.url)
    await page.evaluate('globalThis.isSame = true')
    at.set('good', '203.0.113.77')
    await at.daemon.ask('poke')
    await page.getByRole('cell', { name: '203.0.113.77' }).first().waitFor()
    // The event follows in a message of its own.
    await eventually(async () => text(page, 'ol')).toContain('the service confirmed 203.0.113.77')
    expect(await page.evaluate('globalThis.isSame')).toBe(true)
  })

  it('checks the address with its button, and keeps the focus', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, at.url)
    at.set('good', '203.0.113.78')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('look')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: '203.0.113.78' }).first().waitFor()
  })

  it('resumes with its button', async () => {
    const at = await surroundings()
    at.set('badauth', '203.0.113.79')
    await at.daemon.ask('poke')
    const { page } = await openPage(browser, at.url)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    at.set('good')
    await page.getByRole('button', { name: 'Resume' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('In order').first().waitFor()
    await eventually(async () => text(page, '#summary')).toContain('All in order: 2 names')
  })

  it('says that a resume was refused again, and keeps the focus', async () => {
    const at = await surroundings()
    at.set('badauth', '203.0.113.79')
    await at.daemon.ask('poke')
    const { page } = await openPage(browser, at.url)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    const before = at.requests()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Tried just now; nothing has changed').waitFor()
    expect(at.requests()).toBe(before + 1)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Resume')
    at.set('good')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('All in order').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })

  it('says that the daemon does not answer, and recovers when it is back', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, at.url)
    at.daemon.child.kill('SIGTERM')
    await at.daemon.ended
    await page.getByText('No answer from Holdfast since').waitFor()
    expect([await page.title(), await page.getByRole('button', { name: 'Check now' }).isDisabled()]).toEqual([
      'No answer - Holdfast',
      true,
    ])
    await page.screenshot({ path: join(SCREENSHOTS, 'no answer.png') })
    at.set('good', '203.0.113.80')
    await at.restart()
    await page.getByRole('cell', { name: '203.0.113.80' }).first().waitFor({ timeout: 20_000 })
    expect(await page.getByText('No answer from Holdfast since').isVisible()).toBe(false)
  })

  it('folds many names while all is well', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `name-${at}.example.test`)
    const at = await surroundings(...names.flatMap((name) => ['--hostname', name]))
    const { page } = await openPage(browser, at.url)
    await page.getByText('14 names', { exact: true }).waitFor()
    const address = page.locator('#names-0 td').first()
    expect(await address.isVisible()).toBe(false)
    await page.getByText('14 names', { exact: true }).click()
    expect(await address.textContent()).toBe('203.0.113.9')
    at.set('good', '203.0.113.94')
    await at.daemon.ask('poke')
    await eventually(async () => address.textContent()).toBe('203.0.113.94')
    // What is open stays open.
    expect(await address.isVisible()).toBe(true)
  })

  it('is complete without its script', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, at.url, { javaScriptEnabled: false })
    expect(await page.locator('#main').textContent()).toContain('203.0.113.9')
    at.set('good', '203.0.113.81')
    await page.getByRole('button', { name: 'Check now' }).click()
    await eventually(() => at.requests()).toBe(2)
    await page.goto(page.url())
    expect(await page.locator('#main').textContent()).toContain('203.0.113.81')
  })

  it('shows markup of a service as text', async () => {
    const at = await surroundings()
    const { page, problems } = await openPage(browser, at.url)
    at.set('<img src=x onerror=alert(1)><script>document.title="taken"</script>', '203.0.113.82')
    await at.daemon.ask('poke')
    await page.getByText('Cause').first().waitFor()
    expect(await page.locator('#main img, #main script').count()).toBe(0)
    expect(await page.title()).not.toBe('taken')
    expect(problems).toEqual([])
  })

  it('shows no password', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, at.url)
    expect(await page.content()).not.toContain('canary-password')
  })
})

/** A proxy that serves the page below /holdfast/, as a reverse proxy does; it may keep streams back. */
async function behindPrefix(target: string, keepsStreams = false): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const path = /^\/holdfast(\/.*)$/.exec(incoming.url ?? '')?.[1]
    if (path === undefined) {
      outgoing.writeHead(404).end()
      return
    }
    const { method, headers } = incoming
    const sent = request(new URL(path, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      if (!keepsStreams || path !== '/events') answer.pipe(outgoing)
    })
    incoming.pipe(sent)
    // A browser that closes its stream ends the request behind it, at any moment, as each proxy does.
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/holdfast/`
}

describe('behind a proxy', () => {
  it('below a path it has its style, follows changes, and its button works', async () => {
    const at = await surroundings()
    const { page, problems } = await openPage(browser, await behindPrefix(at.url))
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain('system-ui')
    at.set('good', '203.0.113.91')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('cell', { name: '203.0.113.91' }).first().waitFor()
    expect(page.url()).toMatch(/\/holdfast\/$/)
    at.set('good', '203.0.113.92')
    await at.daemon.ask('poke')
    await page.getByRole('cell', { name: '203.0.113.92' }).first().waitFor()
    expect(problems).toEqual([])
  })

  it('that keeps the stream back it says since when it is silent, and asks by itself', async () => {
    const at = await surroundings()
    const { page } = await openPage(browser, 'about:blank')
    await page.clock.install()
    await page.goto(await behindPrefix(at.url, true))
    at.set('good', '198.51.100.7')
    await at.daemon.ask('poke')
    await at.daemon.line('198.51.100.7')
    expect(await page.locator('#main').textContent()).not.toContain('198.51.100.7')
    // On a busy machine its script may only now begin to listen.
    await eventually(async () => {
      await page.clock.fastForward(60_000)
      return page.getByRole('cell', { name: '198.51.100.7' }).count()
    }).toBeGreaterThan(0)
  })
})

interface Crowd {
  readonly url: string
  readonly daemon: Daemon
  readonly set: (address: string) => void
}

/** Twenty accounts with 411 names; what the service answers to one is in the table. */
async function crowd(answers: Readonly<Record<number, string>>, longName: string): Promise<Crowd> {
  const folder = scratch()
  let address = '203.0.113.9'
  const service = await answering((target, headers) => {
    const [user = ''] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
      .toString()
      .split(':')
    const names = (new URL(target, 'http://x').searchParams.get('hostname') ?? '').split(',')
    const answer = answers[Number(user.slice(4))]
    return {
      status: 200,
      body: answer === undefined ? names.map(() => `good ${address}\n`).join('') : `${answer}\n`,
    }
  })
  const source = await echo(() => address)
  const account = (at: number): string => {
    const names = Array.from(
      { length: at === 0 ? 31 : 20 },
      (_, nth) => `host-${nth}.zone-${at}.example.test`,
    )
    const all = JSON.stringify(at === 19 ? names.with(0, longName) : names)
    return `[[account]]\nname = "account ${at}"\nusername = "user${at}"\npassword = "p"\nserver = "${service.replace(/\/$/, '')}"\nhostnames = ${all}\n`
  }
  writeFileSync(
    join(folder, 'holdfast.toml'),
    `sources = ["${source}"]\nagreement = "one"\nallow = ["documentation"]\nipv6 = false\ninterval = "1h"\nwhen_stopped = "idle"\n${Array.from({ length: 20 }, (_, at) => account(at)).join('\n')}`,
    { mode: 0o600 },
  )
  const settings = ['--config', join(folder, 'holdfast.toml'), '--state-dir', folder, '--runtime-dir', folder]
  const daemon = running([...settings, '--page', '127.0.0.1:0', '--no-verify'], { HOME: folder })
  await daemon.line('nothing to do until')
  const { port } = new URL(/"url":"([^"]+)"/.exec(daemon.lines.join('\n'))?.[1] ?? '')
  return { url: `http://127.0.0.1:${port}/`, daemon, set: (next) => void (address = next) }
}

const LONG_NAME = `${Array.from({ length: 4 }, () => 'x'.repeat(57)).join('.')}.home.example.test`.slice(-253)

describe('with twenty accounts', () => {
  it('what is not in order is on the first screen, and the rest is folded', async () => {
    const at = await crowd({ 3: 'badauth', 7: '911', 12: 'abuse', 17: 'badagent' }, LONG_NAME)
    const { page } = await openPage(browser, at.url, { ...CONTEXT, viewport: { width: 1440, height: 900 } })
    // An event may replace the list at any moment.
    const bottomOf = async (name: string): Promise<number> => {
      const box = await page.locator('#attention a', { hasText: name }).boundingBox()
      return box === null ? Infinity : box.y + box.height
    }
    for (const name of ['account 3 ', 'account 7 ', 'account 12 ', 'account 17 '])
      await eventually(async () => bottomOf(name)).toBeLessThan(900)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(4000)
    await page.screenshot({ path: join(SCREENSHOTS, 'twenty.png'), fullPage: true })
    expect(await violations(page)).toEqual([])
    await page.locator('#attention a', { hasText: 'account 12' }).click()
    expect(page.url()).toMatch(/#account-12$/)
  })

  it.each(oneIn(2, [360, 768, 1440]))(
    'nothing is wider than %i pixels, and no address is broken',
    async (width) => {
      const at = await crowd({ 3: 'badauth', 5: 'x'.repeat(3000) }, LONG_NAME)
      const { page } = await openPage(browser, at.url, { ...CONTEXT, viewport: { width, height: 800 } })
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0)
      const broken = `[...document.querySelectorAll('td.fixed')].filter((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
    }).length`
      expect(await page.evaluate(broken)).toBe(0)
      await page.screenshot({ path: join(SCREENSHOTS, `twenty-${width}.png`) })
    },
  )

  it('an event says only what has changed', async () => {
    const at = await crowd({ 3: 'badauth' }, LONG_NAME)
    const { page } = await openPage(browser, at.url)
    await eventually(async () => page.locator('#attention a').count()).toBe(1)
    await page.evaluate(`globalThis.sizes = []
      new EventSource('events').addEventListener('view', ({ data }) => sizes.push(data.length))`)
    await eventually(async () => page.evaluate('sizes.length')).toBeGreaterThan(0)
    const sizes = async () => (await page.evaluate('sizes')) as readonly number[]
    let last = -1
    // Until nothing is under way: those of account 3 stay behind.
    await page.getByText('20 of 411 names do not lead here yet').waitFor()
    await eventually(async () => {
      const before = last
      last = (await sizes()).length
      await page.waitForTimeout(500)
      return before === last
    }).toBe(true)
    await page.getByRole('button', { name: 'Check now' }).click()
    await eventually(async () => (await sizes()).length).toBeGreaterThan(last)
    expect(Math.max(...(await sizes()))).toBeGreaterThan(50_000)
    // The check, and its times in twenty accounts.
    expect(Math.max(...(await sizes()).slice(last))).toBeLessThan(12_000)
  })
})

it('says that it checks, and what the check found, without a reload', async () => {
  const at = await surroundings()
  const { page } = await openPage(browser, at.url)
  await page.evaluate('globalThis.isSame = true')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('nothing has changed').waitFor()
  at.set('good', '203.0.113.44')
  await page.getByRole('button', { name: 'Check now' }).click()
  // Checks are ten seconds apart.
  await page.getByText('Checking the address').waitFor()
  await page.getByText('the address has changed').waitFor({ timeout: 15_000 })
  expect(await page.evaluate('globalThis.isSame')).toBe(true)
})

it('shows the addresses until now, also after a restart', async () => {
  const at = await surroundings()
  at.set('good', '203.0.113.45')
  await at.daemon.ask('poke')
  await at.daemon.line('"previous":{"v4":"203.0.113.9"}')
  await at.restart()
  const { page } = await openPage(browser, at.url)
  await page.getByText('Addresses of your names').click()
  await eventually(async () => text(page, '#history')).toMatch(/203\.0\.113\.45 .* now 203\.0\.113\.9 /)
})

it('tells its state by an icon, which follows it', async () => {
  const at = await surroundings()
  const { page } = await openPage(browser, at.url)
  const icon = async () => page.locator('#icon').getAttribute('href')
  const before = await icon()
  at.set('badauth', '203.0.113.46')
  await at.daemon.ask('poke')
  await page.getByText('Your names lead elsewhere').waitFor()
  expect(await icon()).not.toBe(before)
  expect(await icon()).toContain('cf222e')
})

describe('an attack', () => {
  it('by a name that is made to lead here gets nothing', async () => {
    const at = await surroundings()
    const context = await browser.newContext()
    onTestFinished(async () => context.close())
    const page = await context.newPage()
    const port = new URL(at.url).port
    const answer = await page.goto(`http://evil.example:${port}/`)
    expect(answer?.status()).toBe(421)
    expect(await page.content()).not.toContain('home.example.test')
  })

  it('by a form of another page does nothing', async () => {
    const at = await surroundings()
    const before = at.requests()
    const server = createServer((_, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(
          `<form method="post" action="${at.url}resume"><input name="account" value="x"></form><script>document.forms[0].submit()</script>`,
        ),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const context = await browser.newContext()
    onTestFinished(async () => context.close())
    const page = await context.newPage()
    const answered = page.waitForResponse((response) => response.url() === `${at.url}resume`)
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    expect((await answered).status()).toBe(403)
    expect(at.requests()).toBe(before)
  })

  it('by a frame sees nothing', async () => {
    const at = await surroundings()
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${at.url}"></iframe>`),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { page } = await openPage(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForTimeout(500)
    const [, frame] = page.frames()
    expect(await frame?.content().catch(() => '')).not.toContain('home.example.test')
  })

  it('without the password sees nothing; with it, all', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'password'), 'open sesame\n')
    const at = await surroundings('--page-password-file', join(folder, 'password'), '--page-hosts', 'nas.lan')
    const port = new URL(at.url).port
    const wrong = await fetch(at.url, { headers: { authorization: `Basic ${btoa('x:wrong')}` } })
    expect([wrong.status, await wrong.text()]).toEqual([
      401,
      expect.not.stringContaining('home.example.test'),
    ])
    const { page } = await openPage(browser, `http://nas.lan:${port}/`, {
      httpCredentials: { username: 'me', password: 'open sesame' },
    })
    expect(await text(page, '#summary')).toContain('All in order')
    // Over http and by a name, browsers send no Sec-Fetch-Site.
    at.set('good', '203.0.113.83')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('cell', { name: '203.0.113.83' }).first().waitFor()
  })
})

it('a daemon with open pages ends at once', async () => {
  const at = await surroundingsIn(shortTimers(900))
  await Promise.all([openPage(browser, at.url), openPage(browser, at.url)])
  at.daemon.child.kill('SIGTERM')
  expect(await at.daemon.ended).toBe(0)
})
