import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recipes } from '../../../src/service/console/pages/recipes.ts'
import { EN } from '../../../src/service/console/words/en/en.ts'
import { canonical } from '../update/devices/records.ts'
import { bytesOf } from '../update/devices/rows.ts'
import { type DeviceWorld, deviceWorld } from '../update/devices/world.ts'

/** One entry of Services > Dynamic DNS, of the type Custom. */
interface Entry {
  readonly updateUrl: string
  /** Undefined: the field is left empty. */
  readonly resultMatch: string | undefined
  readonly username: string
  readonly password: string
}

/**
 * What a person enters by the recipe: each "Update URL" is an entry. A field that an entry does not have by itself is that
 * of the entry before it, as "Username" for several entries.
 */
function entriesOf(texts: readonly string[]): readonly Entry[] {
  const fields = texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => {
      const [, label, value] = /^\s*([A-Z][\w ]*): (.*)$/.exec(line) ?? []
      return label === undefined || value === undefined ? [] : [[label, value] as const]
    })
  const starts = fields.flatMap(([label], at) => (label === 'Update URL' ? [at] : []))
  return starts.map((start, n) => {
    const end = starts[n + 1] ?? fields.length
    const own = fields.slice(start, end).find(([label]) => label === 'Result Match')?.[1]
    const last = (wanted: string): string | undefined =>
      fields.slice(0, end).findLast(([label]) => label === wanted)?.[1]
    return {
      updateUrl: fields[start]?.[1] ?? '',
      resultMatch: own ?? last('Result Match'),
      username: last('Username') ?? '',
      password: last('Password') ?? '',
    }
  })
}

/**
 * Whether pfSense takes this answer as a success: without tabs and line ends around it, the whole answer equals one of the
 * alternatives. "|" separates them, but not "\|". Read in its dyndns.class (case 'custom'); an empty field takes anything.
 */
function isTaken(resultMatch: string | undefined, body: string, address: string): boolean {
  if (resultMatch === undefined || resultMatch === '') return true
  const answer = body.replace(/^[\t\n\r]+|[\t\n\r]+$/g, '')
  return resultMatch
    .replaceAll('%IP%', address)
    .split(/(?<!\\)\|/)
    .some((alternative) => alternative.replaceAll('\\|', '|') === answer)
}

describe('the comparison of pfSense', () => {
  // biome-ignore format: a table
  it.each<[resultMatch: string, body: string, taken: boolean]>([
    ['good %IP%|nochg %IP%', 'good 192.0.2.7\n',                   true],
    ['good %IP%|nochg %IP%', 'nochg 192.0.2.7\r\n',                true],
    ['good %IP%|nochg %IP%', 'good 192.0.2.7\ngood 192.0.2.7\n',   false],
    ['good %IP%|nochg %IP%', 'good 192.0.2.7 \n',                  false],
    ['good %IP%|nochg %IP%', 'Good 192.0.2.7\n',                   false],
    ['good %IP%|nochg %IP%', 'good 192.0.2.77\n',                  false],
    ['a\\|b',                'a|b\n',                              true],
    ['',                     'anything\n',                         true],
  ])('of %j with %j', (resultMatch, body, taken) => expect(isTaken(resultMatch, body, '192.0.2.7')).toBe(taken))
})

let world: DeviceWorld
beforeAll(async () => void (world = await deviceWorld()))
afterAll(async () => world.close())

const HOSTNAMES = ['home.example.test', 'office.example.test', 'nas.example.test']

/** What the console shows for pfSense of a key with these hostnames. */
function entries(hostnames: readonly string[]): readonly Entry[] {
  const { url, username, password } = world
  const shown = recipes({ origin: url, username, password, hostnames, fritzBox: EN.newKey.fritzBox })
  return entriesOf(shown.filter(({ device }) => device === 'pfSense').flatMap(({ texts }) => texts))
}

/** The body of the answer to one entry, when the address is this one. */
async function bodyFor({ updateUrl, username, password }: Entry, address: string): Promise<string> {
  const url = updateUrl.replaceAll('%IP%', address)
  const target = url.replace(/^https?:\/\/[^/]*/, '')
  const token = Buffer.from(`${username}:${password}`).toString('base64')
  const { status, body } = await world.send(
    bytesOf({ device: 'pfSense', target }, { host: world.host, token }),
  )
  expect(status).toBe(200)
  return body
}

describe.each([
  ['one hostname', HOSTNAMES.slice(0, 1)],
  ['three hostnames', HOSTNAMES],
])('the recipe for pfSense of a key with %s', (_, hostnames) => {
  beforeEach(async () => world.reset('home=192.0.2.9 office=192.0.2.8 nas=192.0.2.7'))

  const words = async (address: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (const entry of entries(hostnames)) {
      const body = await bodyFor(entry, address)
      const taken = isTaken(entry.resultMatch, body, address)
      found.push(taken ? (body.split(' ')[0] ?? '') : `not taken: ${body.trim()}`)
    }
    return found
  }

  it('has entries for all of them', async () => {
    expect(entries(hostnames).length).toBeGreaterThan(0)
    await words('192.0.2.200')
    const others = { home: '192.0.2.9', office: '192.0.2.8', nas: '192.0.2.7' }
    const updated = Object.entries(others).map(
      ([name, value]) => `${name}=${hostnames.includes(`${name}.example.test`) ? '192.0.2.200' : value}`,
    )

    expect(await world.records()).toBe(canonical(updated.join(' ')))
  })

  it.each(['192.0.2.200', '2001:db8::200'])('is taken after good and after nochg: %s', async (address) => {
    expect(new Set(await words(address))).toEqual(new Set(['good']))
    expect(new Set(await words(address))).toEqual(new Set(['nochg']))
  })

  it('is taken after good where one hostname has the address already', async () => {
    await world.reset('home=192.0.2.200 office=192.0.2.8 nas=192.0.2.7')

    expect((await words('192.0.2.200')).filter((word) => word.startsWith('not taken'))).toEqual([])
  })
})
