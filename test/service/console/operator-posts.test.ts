import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()

/** Every form of operators; parts of the path stand for something that is there. */
const FORMS = [
  ['/operator/invitations', { plan: 'plan of a' }],
  ['/operator/invitations/{id}/delete', {}],
  ['/operator/blocks', { subject: 'kkk1111' }],
  ['/operator/blocks/set', { subject: 'kkk1111' }],
  ['/operator/blocks/end', { subject: 'kkk1111' }],
  ['/operator/blocks/{subject}/end', {}],
  ['/operator/lockouts/{subject}/end', {}],
  ['/operator/accounts/{account}', { suspended: 'yes' }],
  ['/operator/accounts/{account}/reset-link', {}],
  ['/operator/accounts/{account}/forget-factors', {}],
  ['/operator/plans', { name: 'other' }],
  ['/operator/plans/{plan}', { max_names: '1' }],
] as const satisfies readonly (readonly [path: string, form: Readonly<Record<string, string>>])[]

const PARTS: Readonly<Record<string, string>> = {
  id: '1',
  subject: 'kkk1111',
  account: 'b',
  plan: 'plan%20of%20a',
}
const pathOf = (path: string): string =>
  `/console${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARTS[name] ?? '')}`

it('every form of operators in the table of pages is tested', () => {
  const source = readFileSync(new URL('../../../src/service/console/routes.ts', import.meta.url), 'utf8')
  const account = /OPERATED_ACCOUNT = '([^']+)'/.exec(source)?.[1] ?? ''
  const posts = [...source.matchAll(/method: 'POST', path: (?:'([^']+)'|`([^`]+)`|(OPERATED_ACCOUNT))/g)]
    .map(([, plain, template]) => plain ?? template?.replace('${OPERATED_ACCOUNT}', account) ?? account)
    .filter((path) => path.startsWith('/operator'))
  expect(FORMS.map(([path]) => path).toSorted()).toEqual(posts.toSorted())
})

const everything = async (): Promise<string> =>
  JSON.stringify([
    (await at.world.ask('GET', '/v1/operator/accounts', undefined, 'operator')).body.data,
    (await at.world.ask('GET', '/v1/operator/plans', undefined, 'operator')).body.data,
    (await at.world.ask('GET', '/v1/operator/blocks', undefined, 'operator')).body.data,
    (await at.world.ask('GET', '/v1/operator/invitations', undefined, 'operator')).body.data,
  ])

describe.each([
  ['a person who is no operator', async (one: ReturnType<typeof person>) => one.signIn('a', PASSWORD)],
  ['an API key', async (one: ReturnType<typeof person>) => one.signInWith('key-of-a')],
] as const)('to %s', (_who, enter) => {
  let one: ReturnType<typeof person>
  beforeEach(async () => {
    one = person()
    await enter(one)
    // A page of the person's own has the token of the forms.
    await one.send('/console/names')
    await one.send('/console/account')
  })

  it.each(FORMS)(
    'POST %s is 403, shows nothing of what was asked, and changes nothing',
    async (path, form) => {
      const before = await everything()
      const { status, text } = await one.post(pathOf(path), form)
      expect([status, text.includes('kkk1111'), text.includes('plan of a')]).toEqual([403, false, false])
      expect(await everything()).toBe(before)
    },
  )
})
