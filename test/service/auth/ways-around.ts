import { CLASSES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { recordAddition, rrsetDeletion } from '../../../src/shared/dns/update.ts'
import { rdataOf } from '../../../src/service/model/rdata/types.ts'
import { isShared } from '../../lab/stores.ts'
import { type Key, PASSWORD, type World, ZONE } from './sanction-world.ts'

export const HOME = `home.${ZONE}`
export const OFFICE = `office.${ZONE}`
const RECORDS = `/dns/records/${ZONE}`
const HOME_A = `${RECORDS}/home/rrsets/A/rdata/one`

/** The world before a sanction, and what imposes it on a key; nothing does where the way is tried without a sanction. */
export interface Scene {
  readonly w: World
  /** Whose only target is HOME. */
  readonly bad: Key
  /** Made before the sanction, for OFFICE. */
  readonly early: Key
  readonly strike: (key: Key) => Promise<void>
}
type Answers = readonly string[]

/**
 * A way around a sanction: what the account does, and the answers to the updates by which it gets what it wants. Without a
 * sanction each answer is `good`; with one, each is `abuse`, or what `held` says.
 */
export interface Way {
  readonly title: string
  readonly go: (scene: Scene) => Promise<Answers>
  readonly held?: Answers
}

/** The key is struck and deleted. */
const dropped = async ({ w, bad, strike }: Scene): Promise<void> => {
  await strike(bad)
  await w.dropKey(bad)
}
/** HOME becomes a target of the key that was made before. */
const taken = async ({ w, early }: Scene, name = HOME): Promise<Answers> => {
  await w.target(early, [name, OFFICE])
  return w.update(early, name)
}
const way = (title: string, go: Way['go'], held?: Answers): Way => ({ title, go, ...(held && { held }) })
/** After the deletion of the key. */
const after = (title: string, go: Way['go'], held?: Answers): Way =>
  way(title, async (s) => dropped(s).then(async () => go(s)), held)

const a = RR_TYPES.A
const removal = rrsetDeletion(HOME, a)
const addition = (address: string) =>
  recordAddition({ name: HOME, type: a, ttl: 300, rdata: rdataOf('A', address) })
const everything = { ...removal, type: RR_TYPES.ANY, class: CLASSES.ANY }

export const WAYS: readonly Way[] = [
  way('a new password of the key', async ({ w, bad, strike }) => {
    await strike(bad)
    const { data } = await w.v1('PUT', `/account/ddns-keys/${bad.username}`, { regenerate_password: true })
    return w.update({ ...bad, password: String(data['password']) }, HOME)
  }),
  after('another key for the hostname', async ({ w }) => w.update(await w.makeKey([HOME]), HOME)),
  after('another key for another hostname', async ({ w }) => {
    await w.makeName('fresh')
    return w.update(await w.makeKey([`fresh.${ZONE}`]), `fresh.${ZONE}`)
  }),
  after('another key without targets, which gets the hostname by PUT', async ({ w }) => {
    const key = await w.makeKey([])
    await w.target(key, [HOME])
    return w.update(key, HOME)
  }),
  after('the key that was made before gets the hostname by PUT', async (s) => taken(s)),
  way('a key made between the sanction and the deletion gets the hostname', async ({ w, bad, strike }) => {
    await strike(bad)
    const key = await w.makeKey([])
    await w.dropKey(bad)
    await w.target(key, [HOME])
    return w.update(key, HOME)
  }),
  way('the hostname is detached, then the key is deleted', async (s) => {
    await s.strike(s.bad)
    await s.w.target(s.bad, [])
    await s.w.dropKey(s.bad)
    return taken(s)
  }),
  way('the hostname is moved by PUT, then the key is deleted', async (s) => {
    await s.strike(s.bad)
    await s.w.target(s.bad, [])
    await s.w.target(s.early, [HOME, OFFICE])
    await s.w.dropKey(s.bad)
    return s.w.update(s.early, HOME)
  }),
  way('the hostname is moved by PUT while the key lives', async (s) => {
    await s.strike(s.bad)
    await s.w.target(s.bad, [])
    return taken(s)
  }),
  way('the hostname is detached and attached', async ({ w, bad, strike }) => {
    await strike(bad)
    await w.target(bad, [])
    await w.target(bad, [HOME])
    return w.update(bad, HOME)
  }),
  after('the group name of another key', async ({ w }) => {
    const key = await w.makeKey([HOME])
    return w.update(key, key?.username ?? '')
  }),
  after('the group name of the key that was made before', async ({ w, early }) => {
    await w.target(early, [HOME])
    return w.update(early, early.username)
  }),
  after('the item for all hostnames', async ({ w, early }) => {
    await w.target(early, [HOME])
    return w.update(early, 'all-hostnames')
  }),
  after('a single value as the target', async ({ w, early }) => {
    await w.v1('PUT', HOME_A, { value: w.nextAddress(), update_group: early.username })
    return w.update(early, HOME)
  }),
  way('a hostname where a single value was the target', async (s) => {
    await s.w.target(s.bad, [])
    await s.w.v1('PUT', HOME_A, { value: s.w.nextAddress(), update_group: s.bad.username })
    await dropped(s)
    return taken(s)
  }),
  after('the hostname deleted and made again', async (s) => {
    await s.w.v1('DELETE', `${RECORDS}/home`)
    await s.w.makeName('home')
    return taken(s)
  }),
  way('the hostname deleted before the key, and made again', async (s) => {
    await s.strike(s.bad)
    await s.w.v1('DELETE', `${RECORDS}/home`)
    await s.w.dropKey(s.bad)
    await s.w.makeName('home')
    return taken(s)
  }),
  after('the zone deleted and made again', async ({ w, early }) => {
    await w.v1('DELETE', `/dns/zones/${ZONE}`)
    await w.v1('POST', '/dns/zones', { zone_name: ZONE })
    await w.makeName('home')
    await w.target(early, [HOME])
    return w.update(early, HOME)
  }),
  way('the zone deleted before the key, and made again', async ({ w, bad, early, strike }) => {
    await strike(bad)
    await w.v1('DELETE', `/dns/zones/${ZONE}`)
    await w.dropKey(bad)
    await w.v1('POST', '/dns/zones', { zone_name: ZONE })
    await w.makeName('home')
    await w.target(early, [HOME])
    return w.update(early, HOME)
  }),
  after('the hostname renamed', async (s) => {
    await s.w.v1('PATCH', `${RECORDS}/home`, { name: 'casa' })
    return taken(s, `casa.${ZONE}`)
  }),
  after('the hostname renamed, and one made in its place', async (s) => {
    await s.w.v1('PATCH', `${RECORDS}/home`, { name: 'casa' })
    await s.w.makeName('home')
    return taken(s)
  }),
  after('the hostname renamed, and back', async (s) => {
    await s.w.v1('PATCH', `${RECORDS}/home`, { name: 'casa' })
    await s.w.v1('PATCH', `${RECORDS}/casa`, { name: 'home' })
    return taken(s)
  }),
  after('the password of the account', async ({ w }) =>
    w.update({ username: 'acme', password: PASSWORD }, HOME),
  ),
  after('another case and a last dot', async ({ w, early }) => {
    await w.target(early, ['HOME.Example.Test.', OFFICE])
    return w.update(early, 'hOmE.EXAMPLE.test.')
  }),
  way('another spelling of an international name', async (s) => {
    await s.w.makeName('xn--bcher-kva')
    await s.w.target(s.bad, [`xn--bcher-kva.${ZONE}`])
    await dropped(s)
    await s.w.target(s.early, [`bücher.${ZONE}`])
    return s.w.update(s.early, `XN--Bcher-KVA.${ZONE}`)
  }),
  after('a name beneath, by another key', async ({ w }) => {
    await w.makeName('sub.home')
    return w.update(await w.makeKey([`sub.${HOME}`]), `sub.${HOME}`)
  }),
  after('the next key deleted as well', async ({ w }) => {
    await w.dropKey(await w.makeKey([HOME]))
    return w.update(await w.makeKey([HOME]), HOME)
  }),
  after('three keys deleted, and another hostname', async ({ w }) => {
    for (const hostnames of [[], [HOME], []]) await w.dropKey(await w.makeKey(hostnames))
    await w.makeName('fresh')
    return w.update(await w.makeKey([`fresh.${ZONE}`]), `fresh.${ZONE}`)
  }),
  after('the key that was made before deleted as well', async (s) => {
    await s.w.target(s.early, [HOME])
    await s.w.dropKey(s.early)
    return s.w.update(await s.w.makeKey([OFFICE]), OFFICE)
  }),
  after(
    'a request with a free hostname',
    async ({ w, early }) => {
      await w.target(early, [HOME, OFFICE])
      return w.update(early, `${HOME},${OFFICE}`)
    },
    ['nohost', 'good'],
  ),
  after('the hostname twice in a request', async ({ w, early }) => {
    await w.target(early, [HOME, OFFICE])
    const words = await w.update(early, `${HOME},${HOME.toUpperCase()}`)
    return words[0] === 'good' && words.length === 2 ? ['good'] : words
  }),
  after('a request to go offline', async ({ w }) => {
    await w.v1('PUT', `${RECORDS}/home/offline-settings`, { action: 'none' })
    return w.update(await w.makeKey([HOME]), HOME, { more: '&offline=YES' })
  }),
  after('the records of the zone exported, and imported into a zone without the name', async (s) => {
    const { text } = await s.w.v1('GET', `/dns/zones/${ZONE}/export`)
    const without = text
      .split('\n')
      .filter((line) => !line.startsWith('home'))
      .join('\n')
    await s.w.v1('POST', `/dns/zones/${ZONE}/import`, without)
    await s.w.v1('POST', `/dns/zones/${ZONE}/import`, text)
    return taken(s)
  }),
  after('the records deleted and added by UPDATE', async (s) => {
    const key = await s.w.makeTsigKey()
    await s.w.sendUpdate(key, [everything])
    await s.w.sendUpdate(key, [addition(s.w.nextAddress())])
    return taken(s)
  }),
  after('a challenge presented and removed beneath the hostname', async (s) => {
    const challenge = { fqdn: `_acme-challenge.${HOME}.`, value: 'x' }
    for (const one of ['present', 'cleanup']) await s.w.v1('POST', `/acme/httpreq/${one}`, challenge)
    return taken(s)
  }),
  way('the key deleted and another one made at the console', async ({ w, bad, strike }) => {
    await strike(bad)
    const one = w.person()
    await one.signIn('acme', PASSWORD)
    await one.send(`/console/keys/ddns/${bad.username}`)
    await one.post(`/console/keys/ddns/${bad.username}/delete`, { proof: PASSWORD })
    await one.send('/console/keys/new')
    const form = { description: 'router', hostnames: HOME, proof: PASSWORD }
    const { html } = await one.post('/console/keys/new', form)
    const [username, password] = [...html.matchAll(/<code class="copy"[^>]*>([^<]*)<\/code>/g)].map(
      ([, text]) => text,
    )
    if ((await w.update(bad, HOME))[0] !== 'badauth') throw new Error('the key is not deleted')
    return username === undefined || password === undefined
      ? ['refused']
      : w.update({ username, password }, HOME)
  }),
  way('the key removed by the operator', async ({ w, bad, strike }) => {
    await strike(bad)
    await w.admin(`key remove ${bad.username}`)
    return w.update(await w.makeKey([HOME]), HOME)
  }),
  after('the service restarted', async ({ w }) => {
    await w.restart()
    return w.update(await w.makeKey([HOME]), HOME)
  }),
  after('the service restarted, and the key that was made before', async (s) => {
    await s.w.restart()
    return taken(s)
  }),
  ...(isShared()
    ? [
        after('another node', async ({ w }) => {
          await w.moveToOtherNode()
          return w.update(await w.makeKey([HOME]), HOME)
        }),
        after('another node, and the key that was made before', async (s) => {
          await s.w.moveToOtherNode()
          return taken(s)
        }),
        way('another node, where the key is deleted', async ({ w, bad, strike }) => {
          await strike(bad)
          await w.moveToOtherNode()
          await w.dropKey(bad)
          return w.update(await w.makeKey([HOME]), HOME)
        }),
      ]
    : []),
]
