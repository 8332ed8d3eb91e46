import { type DoorsBrowser, browserAt } from './browser.ts'
import type { Credential } from './credentials.ts'
import { basic, type Given, NEXT_ADDRESS, sendApi, sendDnsUpdate, sendUpdate } from './requests.ts'
import { ASKS } from './states.ts'
import { ACCOUNT, DDNS_KEY, type DoorsWorld, NAMES, ZONE } from './world.ts'

/** A credential that is nothing at a door. */
export const NOTHING = '-'

const [, HOME, FRESH, , OLD] = NAMES
const RECORDS = `/v1/dns/records/${ZONE}`

interface Visit {
  readonly world: DoorsWorld
  readonly credential: Credential
  readonly state: string
  /** Brings the world into the state. */
  readonly enter: () => Promise<void>
  /** A session that was opened before the state began. */
  readonly browser: DoorsBrowser
}

/** What one request at a door answers, in the words of its column. */
type Door = (visit: Visit) => Promise<string>

/** As programs send it: an API key with the account at `/nic/update`, alone at `/v1`. */
async function givenBy({ credential, browser }: Visit, withAccount: boolean): Promise<Given> {
  if (credential.kind === 'login') return { authorization: basic(credential.username, credential.password) }
  if (credential.kind === 'api-key')
    return {
      authorization: withAccount ? basic(ACCOUNT, credential.key) : `Bearer ${credential.key}`,
    }
  if (credential.kind === 'session') return { cookie: browser.cookie() }
  throw new Error('a TSIG key signs DNS messages only')
}

const update: Door = async (visit) => {
  const more = ASKS[visit.state] === 'offline' ? '&offline=YES' : ''
  return (await sendUpdate(visit.world, await givenBy(visit, true), NEXT_ADDRESS, more)).word
}

const API_WRITES = {
  address: { method: 'PUT', path: `${RECORDS}/${HOME}/rrsets/A/rdata`, body: [{ value: NEXT_ADDRESS }] },
  offline: {
    method: 'PUT',
    path: `${RECORDS}/${HOME}/offline-settings`,
    body: { action: 'page', title: 'away' },
  },
  attach: { method: 'POST', path: RECORDS, body: { name: FRESH, update_group: DDNS_KEY.username } },
} as const

const shown = ({ status, code, title }: Awaited<ReturnType<typeof sendApi>>): string =>
  [status, code, title].filter((part) => part !== '').join(' ')

const api: Door = async (visit) =>
  shown(await sendApi(visit.world, await givenBy(visit, false), API_WRITES[ASKS[visit.state] ?? 'address']))

const apiRead: Door = async (visit) =>
  shown(
    await sendApi(visit.world, await givenBy(visit, false), {
      method: 'GET',
      path: `${RECORDS}/${HOME}/rrsets/A`,
    }),
  )

const challenge =
  (path: string, name: string): Door =>
  async (visit) =>
    shown(
      await sendApi(visit.world, await givenBy(visit, true), {
        method: 'POST',
        path: `/v1/acme/httpreq/${path}`,
        body: { fqdn: `${name}.${ZONE}.`, value: 'v' },
      }),
    )

const dns: Door = async ({ world, credential }) => {
  if (credential.kind !== 'tsig-key') throw new Error('an UPDATE needs a TSIG key')
  return sendDnsUpdate(world, credential.key)
}

/** The page of a name, then a form of it: what is shown instead of the page, and whether the change was made. */
const actAt = async ({ world, state }: Visit, browser: DoorsBrowser): Promise<string> => {
  const before = await world.stored()
  const page = await browser.send(`/console/names/${ZONE}/${HOME}`)
  // A page that is elsewhere has the token of its forms.
  if (page.to !== undefined) await browser.send(`/console/${page.to}`)
  await (ASKS[state] === 'offline'
    ? browser.send(`/console/names/${ZONE}/${HOME}/offline`, { action: 'page', value: 'away' })
    : browser.send('/console/names/new', { hostname: `${FRESH}.${ZONE}`, addresses: NEXT_ADDRESS }))
  const isDone = (await world.stored()) !== before
  return `${page.to ?? page.status} ${isDone ? 'done' : 'refused'}`
}

const sessionOf = (credential: Credential) => {
  if (credential.kind !== 'session') throw new Error('a row of the console names a session')
  return credential.by
}

const signIn: Door = async (visit) => {
  const browser = browserAt(visit.world)
  if (visit.credential.kind === 'login') {
    // A DDNS key in the place of an account.
    const { username: account, password } = visit.credential
    await browser.send('/console/sign-in', { account, password })
  } else await browser.signIn(sessionOf(visit.credential))
  return actAt(visit, browser)
}

/** A door by its name in the table. */
// biome-ignore format: a table
const DOORS: Readonly<Record<string, Door>> = {
  update:           update,
  v1:               api,
  'v1-read':        apiRead,
  httpreq:          challenge('present', `_acme-challenge.${HOME}`),
  'httpreq-clean':  challenge('cleanup', OLD),
  dns:              dns,
  console:          signIn,
  'console-before': async (visit) => actAt(visit, visit.browser),
}

export const DOOR_NAMES: readonly string[] = Object.keys(DOORS)

/** The answer of a door to a credential in a state, and whether anything that is stored at a name has changed. */
export async function answerAt(
  name: string,
  visit: Omit<Visit, 'browser'>,
): Promise<{ readonly answer: string; readonly isChanged: boolean }> {
  const door = DOORS[name]
  if (door === undefined) throw new Error(`no door: ${name}`)
  const { world, credential, enter } = visit
  const browser = browserAt(world)
  if (credential.kind === 'session' && name !== 'console') {
    const opened = await browser.signIn(credential.by)
    if (opened.to === undefined) throw new Error(`no session: ${opened.status}`)
  }
  await enter()
  // Its start may write to the store.
  if (name === 'dns') await world.dnsPort()
  const before = await world.stored()
  const answer = await door({ ...visit, browser })
  return { answer, isChanged: (await world.stored()) !== before }
}
