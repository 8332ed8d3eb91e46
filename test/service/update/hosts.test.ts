import { expect, it } from 'vitest'
import type { Address } from '../../../src/shared/base/address.ts'
import { readQuery } from '../../../src/shared/protocol/update-query.ts'
import type { IncomingRequest } from '../../../src/service/http/request.ts'
import type { StoredName } from '../../../src/service/model/rows.ts'
import type { StoreWrites } from '../../../src/service/store/store.ts'
import { answerHosts, namesOf } from '../../../src/service/update/hosts.ts'
import { OWNER, PLAN, ZONE } from '../rules/made.ts'
import { KEY, LIMITS, NOW, requestOf, storedName, storedRdata, V4, V6 } from './made.ts'
import { formatReply } from '../../../src/shared/protocol/reply-codec.ts'

const HOME = storedName('home', { rdata: [storedRdata(1, 'A', V4)] })
const LOCKED = storedName('locked', { nameId: 2, isProhibited: true })
const NEW = storedName('new', { nameId: 3 })
const SINGLE = storedName('single', {
  nameId: 4,
  keyId: null,
  rdata: [{ ...storedRdata(2, 'A', '192.0.2.9'), keyId: KEY.id }],
})
const FULL = PLAN.maxRdata
const BOTH = `${V4},${V6}`
const PROXY = { isProxy: true }
const multicast = { peer: '224.0.0.1' as Address }

interface Held {
  readonly account?: typeof OWNER | undefined
  readonly rdata?: number
}

/** The replies to a request, from a store that has these names. */
async function answered(
  query: string,
  over: Partial<IncomingRequest>,
  held: Held,
): Promise<readonly string[]> {
  const { rdata = 0 } = held
  const names: readonly StoredName[] = [HOME, LOCKED, NEW, SINGLE]
  const reads = {
    account: async () => Promise.resolve('account' in held ? held.account : OWNER),
    namesByFqdn: async (fqdn: string) => Promise.resolve(names.filter((name) => name.fqdn === fqdn)),
    namesOfKey: async () => Promise.resolve(names),
    groupIdOf: async () => Promise.resolve(undefined),
    zoneRules: async () => Promise.resolve(ZONE),
    holdingsOf: async () => Promise.resolve({ names: 1, rdata }),
    apexHoldingsOf: async () => Promise.resolve({ names: 0, rdata: 0 }),
    nochgsOf: async () => Promise.resolve([]),
  }
  const done = async () => Promise.resolve()
  const writes = {
    setOffline: done,
    setSingleValue: done,
    setValue: done,
    touchZone: done,
    putNochgs: done,
    addTrail: done,
  }
  const { replies } = await answerHosts(
    { ...reads, ...writes } as unknown as StoreWrites,
    {
      principal: { ...KEY, hash: new Uint8Array(), isSuspended: false },
      username: 'abc1234',
      request: requestOf(over),
      unreadable: '',
      userAgentClass: 'descriptive',
      limits: LIMITS,
      now: NOW,
    },
    { query: readQuery(query), names: namesOf(readQuery(query)), allHostnames: 'all', sanctions: [] },
  )
  return replies.map(formatReply)
}

// biome-ignore format: a table
it.each<[string, string, Partial<IncomingRequest>, Held, readonly string[]]>([
  ['nothing',                                   '',                                       {},        {},                     ['nohost']],
  ['a name of an account that is gone',         'hostname=home.example.test',             {},        { account: undefined }, ['nohost']],
  ['the address that it has',                   'hostname=home.example.test',             {},        {},                     [`nochg ${V4}`]],
  ['a name in four spellings',                  'hostname=home.example.test,HOME.Example.Test.,home.example.test.,home.example.test&myip=192.0.2.2', {}, {}, Array(4).fill('good 192.0.2.2')],
  ['another address',                           'hostname=home.example.test&myip=192.0.2.2', {},     {},                     ['good 192.0.2.2']],
  ['no address, from a silent proxy',           'hostname=home.example.test',             PROXY,     {},                     ['911']],
  ['an address, from a silent proxy',           `hostname=home.example.test&myip=${V4}`,  PROXY,     {},                     [`nochg ${V4}`]],
  ['no address, from one that no host has',     'hostname=home.example.test',             multicast, {},                     ['911']],
  ['an address, from one that no host has',     `hostname=home.example.test&myip=${V4}`,  multicast, {},                     [`nochg ${V4}`]],
  ['another family, which fits the plan',       `hostname=home.example.test&myip=${BOTH}`, {},       { rdata: FULL - 1 },    [`good ${BOTH}`]],
  ['another family, beyond the plan',           `hostname=home.example.test&myip=${BOTH}`, {},       { rdata: FULL },        ['!donator']],
  ['one of two beyond the plan: none is changed', `hostname=home.example.test,new.example.test&myip=192.0.2.2`, {}, { rdata: FULL }, ['!donator']],
  ['a name that is locked, beyond the plan',    `hostname=locked.example.test&myip=${V4}`, {},       { rdata: FULL },        ['nohost']],
  ['a name that is locked, and one that is not', `hostname=locked.example.test,home.example.test`, {}, {},                    ['nohost', `nochg ${V4}`]],
  ['both families, for one A record',           `hostname=single.example.test&myip=${BOTH}`, {},     {},                     [`good ${V4}`]],
  ['IPv6, for one A record',                    `hostname=single.example.test&myip=${V6}`, {},       {},                     ['nochg']],
  ['all names of the key',                      `hostname=all&myip=${V4}`,                {},        {},                     [`good ${V4}`]],
])('an update with %s', async (_, query, over, held, replies) => expect(await answered(query, over, held)).toEqual(replies))
