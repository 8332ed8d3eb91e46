import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startLedger } from '../e2e/ledger.ts'
import { holdfast, ROOT, scratch, serveStore } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { lacks } from '../lacks.ts'

const [A, B, BALANCER, SECONDARY] = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6']
const DNS = 15_353
const WEB = 18_080
const SECRET = Buffer.alloc(32, 9).toString('base64')
const HOSTNAMES = Array.from({ length: 8 }, (_, n) => `h${n}.acme.test`)

/** A file of config/compose-scale, with addresses of this host and the folder of the test. */
function placed(name: string, folder: string, more: readonly (readonly [string, string])[] = []): string {
  const changes = [
    ['172.30.54.3', A],
    ['172.30.54.4', B],
    ['172.30.54.5', BALANCER],
    ['172.30.54.6@53', `${SECONDARY}@${DNS}`],
    ['172.30.54.6:53', `${SECONDARY}:${DNS}`],
    ['0.0.0.0@53', `${SECONDARY}@${DNS}`],
    ['0.0.0.0:80\n', `${BALANCER}:${WEB}\n`],
    ['/storage', join(folder, 'storage')],
    ['/etc/holdfast/keys', folder],
    ['/etc/holdfast', folder],
    ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', SECRET],
    ...more,
  ] as const
  const text = changes.reduce(
    (left, [from, to]) => left.replaceAll(from, to),
    readFileSync(join(ROOT, 'config/compose-scale', name), 'utf8'),
  )
  expect(text).not.toContain('172.30.')
  const path = join(folder, `${more.length}${name}`)
  writeFileSync(path, text)
  return path
}

function addressAt(server: string, name: string): string {
  const question = [`@${server}`, '-p', String(DNS), '+short', '+timeout=1', '+retry=0', name, 'A']
  try {
    return execFileSync('kdig', question, { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}

const lacking = whyNoPostgres()

it.skipIf(lacking !== undefined || lacks('knotd') || lacks('kdig') || lacks('haproxy'))(
  'with the settings of compose-scale.yaml, a node may die, and the secondary follows the other one',
  async () => {
    const folder = scratch()
    const postgres = await startPostgres()
    onTestFinished(async () => postgres.stop())
    await postgres.query('CREATE DATABASE holdfast')
    for (const [name, text] of [
      ['tsig.keys', `ns1-key hmac-sha256 ${SECRET}\n`],
      ['store.password', 'not asked for\n'],
    ] as const)
      writeFileSync(join(folder, name), text, { mode: 0o600 })
    mkdirSync(join(folder, 'storage'))
    const settingsOf = (address: string): string =>
      placed('service.toml', folder, [
        ['172.30.54.10', `127.0.0.1:${postgres.port}`],
        ['0.0.0.0', address],
        ...(address === A ? [] : ([['nothing', '']] as const)),
      ])
    const [one, two] = [settingsOf(A), settingsOf(B)]
    const admin = async (words: string): Promise<string> => {
      const { code, stdout, stderr } = await holdfast(['admin', ...words.split(' '), '--config', one], {
        node: process.execPath,
      })
      expect([code, stderr]).toEqual([0, ''])
      return stdout.trim()
    }
    for (const words of ['init', 'plan add basic', 'account add acme basic', 'zone add acme.test acme'])
      await admin(words)
    const apiKey = (await admin('api-key add acme')).split(' ').at(-1) ?? ''
    const patient = ['request', 'nochg', 'refusal'].flatMap((limit) => [`--${limit}-limit`, '1000000'])
    const store = `postgres://holdfast@127.0.0.1:${postgres.port}/holdfast?sslmode=disable`
    const first = await serveStore(store, '--config', one, '--listen', `${A}:8245`, ...patient)
    await serveStore(store, '--config', two, '--listen', `${B}:8245`, ...patient)
    const knot = spawn(
      'knotd',
      [
        '-c',
        placed('knot.conf', folder, [
          ['server:', `server:\n    rundir: ${folder}`],
          ['@5300\n', `@5300\n    via: ${SECONDARY}\n`],
          // On this host the nodes send from one address.
          [`[ ${A}, ${B} ]`, '127.0.0.0/8'],
        ]),
      ],
      { stdio: 'ignore' },
    )
    onTestFinished(() => void knot.kill())
    const balancer = spawn('haproxy', ['-db', '-f', placed('haproxy.cfg', folder)], { stdio: 'ignore' })
    onTestFinished(() => void balancer.kill())
    const base = `http://${BALANCER}:${WEB}`
    const post = async (path: string, body: unknown) =>
      fetch(`${base}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await eventually(async () => (await fetch(`${base}/v1/dns/about`).catch(() => undefined))?.status).toBe(
      200,
    )
    for (const hostname of HOSTNAMES)
      expect((await post('/v1/dns/records/acme.test', { name: hostname.split('.')[0] })).status).toBe(201)
    const made = await post('/v1/account/ddns-keys', { hostnames: HOSTNAMES })
    const { data } = (await made.json()) as { data: { username: string; password: string } }

    const ledger = startLedger({
      urls: [base],
      hostnames: HOSTNAMES,
      credentials: `${data.username}:${data.password}`,
      block: 0,
    })
    // Where Knot's first transfer of the catalog fails, it tries again after 30 to 60 s, once a zone.
    await eventually(() => addressAt(SECONDARY, 'h0.acme.test'), 200, 200_000).toMatch(/^11\.0\./)
    first.child.kill('SIGKILL')
    const before = ledger.count()
    await eventually(() => ledger.count()).toBeGreaterThan(before + 50)
    await ledger.stop()

    const rows = await postgres.query(
      `SELECT fqdn, value FROM name JOIN rrset ON name_id = name.id JOIN rdata ON rrset_id = rrset.id`,
      'holdfast',
    )
    const stored = new Map(rows.map(({ fqdn, value }) => [String(fqdn), String(value)]))
    expect(ledger.lost(stored)).toEqual([])
    for (const hostname of HOSTNAMES)
      await eventually(() => addressAt(SECONDARY, hostname), 200).toBe(stored.get(hostname))
    // Clients are told apart behind the balancer.
    const peers = await postgres.query('SELECT DISTINCT peer FROM usage', 'holdfast')
    expect(peers).not.toContainEqual({ peer: BALANCER })
  },
  300_000,
)

it('compose-scale.yaml names files and an image that exist', () => {
  const text = readFileSync(join(ROOT, 'config/compose-scale.yaml'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const files = [...text.matchAll(/\.\/(compose-scale\/[\w.]+)/g)].map(([, path = '']) => path)
  expect(files).toEqual([
    'compose-scale/service.toml',
    'compose-scale/haproxy.cfg',
    'compose-scale/knot.conf',
  ])
  for (const file of files) expect(readFileSync(join(ROOT, 'config', file), 'utf8')).not.toBe('')
  expect([...text.matchAll(/image: holdfast:(\S+)/g)].map(([, tag]) => tag)).toEqual([version])
})
