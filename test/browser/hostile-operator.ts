import type { Browser } from 'playwright-core'
import { holdfast, type Service } from '../e2e/processes.ts'
import { ask, HOSTILE, hostileUpdate, plantRecords } from './hostile-texts.ts'
import { lockOut } from './lock-out.ts'
import { addAuthenticator } from './second-factor.ts'
import { signIn } from './sign-in.ts'

/** The service blocks a key that sends more updates than `--request-limit`. */
export const REQUEST_LIMIT = 3

/** The most that the rules of their kinds allow. */
export const ODD = {
  account: '_.-x',
  zone: 'xn--mgbh0fb.test',
  mail: `'/onfocus='ran=1'/autofocus/x=\`&quot;{{ran=1}}@evil.test`,
} as const

/** Puts into the tables of operators what others choose there; resolves with the cookie of an operator. */
export async function plantForOperator(at: Service, store: string, browser: Browser): Promise<string> {
  const admin = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(['admin', ...words, '--store', store], {
      node: process.execPath,
    })
    if (code !== 0) throw new Error(`admin ${words.join(' ')}: ${code} ${stderr}`)
    return stdout
  }
  await ask(at, 'POST', '/dns/zones', { zone_name: ODD.zone })
  await admin('zone', 'set', ODD.zone, 'shared=yes')
  const mail = ['--console', at.url, '--mail-server', '127.0.0.1:1', '--mail-from', 'dns@example.test']
  const [added] = await Promise.all([
    admin('account', 'add', 'olga', 'everything'),
    admin('account', 'add', ODD.account, 'everything'),
    admin('invitation', 'add', 'everything', `zone=${ODD.zone}`, `email=${ODD.mail}`, ...mail),
    ...Object.values(HOSTILE).map(async (payload, nth) => plantBlocked(at, payload, nth)),
    lockOut(at.url),
  ])
  await admin('account', 'set', 'olga', 'operator=yes')
  const [, password = ''] = /password (\S+)/.exec(added) ?? []
  const value = await signIn(at.url, { account: 'olga', password }, 'Mozilla/5.0')
  const context = await browser.newContext()
  await context.addCookies([{ name: 'holdfast', value, url: at.url }])
  const page = await context.newPage()
  await page.goto(`${at.url}/console/account`)
  await addAuthenticator(page)
  await context.close()
  return value
}

/** A key whose program has this name, and asks too often. */
async function plantBlocked(at: Service, payload: string, nth: number): Promise<void> {
  const name = `b${nth}`
  await plantRecords(at, name, ['one'])
  const hostname = `${name}.example.test`
  const key = await ask<{ readonly username: string; readonly password: string }>(
    at,
    'POST',
    '/account/ddns-keys',
    { description: payload, hostnames: [hostname] },
  )
  const replies: string[] = []
  for (let n = 0; n <= REQUEST_LIMIT; n++)
    replies.push(await hostileUpdate(at, { ...key, hostname }, payload))
  if (replies.at(-1)?.trim() !== 'abuse') throw new Error(`${payload}: ${replies.join('')}`)
}
