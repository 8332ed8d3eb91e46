import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/processes.ts'
import { PATH } from '../lab/run.ts'
import { lacks } from '../lacks.ts'
import { type AcmeAuthority, acmeAuthority } from './acme-authority.ts'
import { challengeVariables } from './acme-clients.ts'
import { type Ran, shell, type Variables } from './documented.ts'
import { short } from './name-server-programs.ts'
import { stopAll, type ToolService, toolService } from './tool-service.ts'

const HOOKS = join(ROOT, 'config/acme')
const DRIVER = join(ROOT, 'test/system/acme-sh.sh')
const NAME = '_acme-challenge.home.example.test'
const [FIRST, SECOND] = ['first-Value_1', 'second-Value_2']
const isLacking = ['curl', 'dig', 'openssl', 'pebble'].map((one) => lacks(one)).includes(true)

describe.skipIf(isLacking).each([
  ['dash', 'dash'],
  ['busybox', 'busybox sh'],
])('the hooks under %s', (program, words) => {
  const isMissing = lacks(program)
  let folder = ''
  let at: ToolService
  let authority: AcmeAuthority
  let settings: Variables
  let key = ''
  beforeAll(async () => {
    if (isMissing) return
    folder = mkdtempSync(join(tmpdir(), 'holdfast-hooks-'))
    at = await toolService(folder)
    authority = await acmeAuthority(folder, at.dns)
    await challengeVariables(at, folder)
    key = readFileSync(join(folder, 'api-key'), 'utf8').trim()
    settings = { HOLDFAST_URL: at.url, HOLDFAST_API_KEY_FILE: join(folder, 'api-key'), ACME_SH_HOME: folder }
  })
  afterAll(async () => {
    await authority?.stop()
    await stopAll(at, [])
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  })

  const run = async (text: string, env: Variables): Promise<Ran> => shell(text, env, words.split(' '))
  const sourced = async (text: string, env: Variables = settings): Promise<Ran> =>
    run(`. ${HOOKS}/dns_holdfast.sh; ${text}`, env)
  const acmeSh = async (what: 'add' | 'rm', value: string, env: Variables): Promise<number | null> =>
    (await run(`${words} ${DRIVER} ${HOOKS}/dns_holdfast.sh ${what} ${NAME} ${value}`, env)).code
  const published = (): string => short(at.dns, NAME, 'TXT')
  const both = [FIRST, SECOND].map((one) => `"${one}"`).join('\n')

  it.skipIf(isMissing)('add a value to others and remove it alone, as acme.sh calls them', async () => {
    expect(await acmeSh('add', FIRST, settings)).toBe(0)
    expect(published()).toBe(`"${FIRST}"`)
    // From here on, acme.sh has saved the settings.
    const later = { ACME_SH_HOME: folder }
    expect(await acmeSh('add', SECOND, later)).toBe(0)
    expect(published()).toBe(both)
    expect(await acmeSh('rm', FIRST, later)).toBe(0)
    expect(published()).toBe(`"${SECOND}"`)
    expect(await acmeSh('rm', SECOND, later)).toBe(0)
    expect(published()).toBe('')
    // A key that is given now counts more than a file that was saved.
    const other = { ...later, HOLDFAST_API_KEY: 'wrongwrongwrongwrong1' }
    expect(await acmeSh('add', FIRST, other)).toBe(1)
    expect(await acmeSh('add', FIRST, { ...later, HOLDFAST_API_KEY: key })).toBe(0)
    expect(await acmeSh('rm', FIRST, later)).toBe(0)
  })

  it.skipIf(isMissing)('do what certbot and dehydrated tell, and ignore what they do not know', async () => {
    const certbot = { ...settings, CERTBOT_DOMAIN: 'home.example.test', CERTBOT_VALIDATION: FIRST }
    const chain = `home.example.test token ${FIRST} home.example.test token ${SECOND}`
    const hook = async (text: string, env = settings): Promise<number | null> =>
      (await run(`${words} ${HOOKS}/${text}`, env)).code

    expect([await hook('certbot-hook present', certbot), published()]).toEqual([0, `"${FIRST}"`])
    expect([await hook('certbot-hook cleanup', certbot), published()]).toEqual([0, ''])
    expect(await hook('certbot-hook', certbot)).toBe(64)
    expect([await hook(`dehydrated-hook deploy_challenge ${chain}`), published()]).toEqual([0, both])
    expect([await hook(`dehydrated-hook clean_challenge ${chain}`), published()]).toEqual([0, ''])
    expect(await hook('dehydrated-hook exit_hook', {})).toBe(0)
    expect(await hook('dehydrated-hook deploy_challenge home.example.test')).toBe(64)
    const first = chain.replace('home', 'other')
    expect([await hook(`dehydrated-hook deploy_challenge ${first}`), published()]).toEqual([1, `"${SECOND}"`])
    expect([await hook(`dehydrated-hook clean_challenge ${first}`), published()]).toEqual([0, ''])
  })

  it.skipIf(isMissing)('say why the service refuses, and never the key', async () => {
    const forbidden = await sourced(`dns_holdfast_add _acme-challenge.other.example.test ${FIRST}`)
    expect([forbidden.code, forbidden.stdout]).toEqual([1, ''])
    expect(forbidden.stderr).toBe(
      'holdfast: present _acme-challenge.other.example.test: 3331 creating a DNS name in this zone is forbidden (HTTP 403)\n',
    )
    const wrong = 'wrongwrongwrongwrong1'
    const unknown = await sourced(`dns_holdfast_add ${NAME} ${FIRST}`, {
      HOLDFAST_URL: at.url,
      HOLDFAST_API_KEY: wrong,
    })
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/^holdfast: present \S+: \d+ [ \w]+ \(HTTP 401\)\n$/)
    expect(unknown.stderr).not.toContain(wrong)
  })

  it.skipIf(isMissing)('put the key on no command line', async () => {
    const [bin, log] = [join(folder, 'bin'), join(folder, 'arguments')]
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'curl'),
      `#!/bin/sh\nprintf '%s\\n' "$@" >> ${log}\nPATH=${PATH} exec curl "$@"\n`,
    )
    chmodSync(join(bin, 'curl'), 0o755)
    const ran = await sourced(`dns_holdfast_add ${NAME} ${FIRST} && dns_holdfast_rm ${NAME} ${FIRST}`, {
      ...settings,
      PATH: `${bin}:${PATH}`,
    })
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', ''])
    const given = readFileSync(log, 'utf8')
    expect(given).toContain(`${at.url}/v1/acme/httpreq/cleanup`)
    expect(given).not.toContain(key)
  })

  it.skipIf(isMissing)('check the certificate of the service, whatever .curlrc says', async () => {
    writeFileSync(join(folder, '.curlrc'), 'insecure\n')
    const tls = { ...settings, HOLDFAST_URL: new URL(authority.directory).origin, HOME: folder }
    const refused = await sourced(`dns_holdfast_add ${NAME} ${FIRST}`, tls)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('certificate')])
    // The authority is no service of ours.
    const known = await sourced(`dns_holdfast_add ${NAME} ${FIRST}`, { ...tls, CURL_CA_BUNDLE: authority.ca })
    expect([known.code, known.stderr]).toEqual([
      1,
      `holdfast: present ${NAME}: no answer of the service (HTTP 404)\n`,
    ])
  })

  // biome-ignore format: a table
  it.skipIf(isMissing).each([
    ['a connection that others can read', `${NAME} v`, { HOLDFAST_URL: 'http://dynupdate.example' }, 'must be the https address'],
    ['another host behind an @', `${NAME} v`, { HOLDFAST_URL: 'http://127.0.0.1:1@192.0.2.1' }, 'must have no @'],
    ['a host alone', `${NAME} v`, { HOLDFAST_URL: 'http://localhost', HOLDFAST_API_KEY_FILE: '' }, 'must be set'],
    ['no service', `${NAME} v`, { HOLDFAST_URL: '' }, 'must be the https address'],
    ['a service that is away', `${NAME} v`, { HOLDFAST_URL: 'http://127.0.0.1:1' }, 'no answer from http://127.0.0.1:1'],
    ['no key', `${NAME} v`, { HOLDFAST_API_KEY_FILE: '' }, 'must be set'],
    ['a file that is not there', `${NAME} v`, { HOLDFAST_API_KEY_FILE: '/nonexistent/key' }, 'cannot read /nonexistent/key'],
    ['a key with a quotation mark', `${NAME} v`, { HOLDFAST_API_KEY_FILE: '', HOLDFAST_API_KEY: 'a"b' }, 'a character that no key has'],
    ['no name', `'' v`, {}, 'not a name'],
    ['a name that ends the text of JSON', `'a","b' v`, {}, 'not a name: a","b'],
    ['no value', `${NAME} ''`, {}, 'not the value'],
    ['a value with a quotation mark', `${NAME} 'a"'`, {}, 'not the value of a challenge: a"'],
  ] as const)('fail with %s', async (_, words, env, message) => {
    const { code, stdout, stderr } = await sourced(`dns_holdfast_add ${words}`, { ...settings, ...env })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  })
})
